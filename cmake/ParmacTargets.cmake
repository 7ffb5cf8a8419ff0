# The libraries that users link. All are INTERFACE targets, since parmac is headers only:
#   parmac::parmac         the headers; needs Eigen and Boost's headers
#   parmac::zlib           adds zlib, for data/gzip.hpp
#   parmac::serialization  adds Boost.Serialization, for submodels that are not flat
#   parmac::mpi            adds MPI, Boost.MPI and Boost.Serialization
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED CONFIG OPTIONAL_COMPONENTS serialization)

file(GLOB_RECURSE parmac_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/parmac/*.hpp)
file(GLOB_RECURSE parmac_mpi_headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/include/parmac/ring/mpi/*.hpp)
list(APPEND parmac_mpi_headers ${PROJECT_SOURCE_DIR}/include/parmac/mpi.hpp)
set(parmac_zlib_headers ${PROJECT_SOURCE_DIR}/include/parmac/data/gzip.hpp)
set(parmac_serialization_headers ${PROJECT_SOURCE_DIR}/include/parmac/serialization.hpp)
list(REMOVE_ITEM parmac_headers
  ${parmac_mpi_headers} ${parmac_zlib_headers} ${parmac_serialization_headers})

# parmac_interface(NAME HEADERS... ) makes the target parmac_NAME with the alias parmac::NAME.
function(parmac_interface name)
  add_library(parmac_${name} INTERFACE)
  add_library(parmac::${name} ALIAS parmac_${name})
  set_target_properties(parmac_${name} PROPERTIES EXPORT_NAME ${name})
  target_sources(parmac_${name} INTERFACE FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${ARGN})
  set_property(GLOBAL APPEND PROPERTY PARMAC_TARGETS parmac_${name})
  if(PROJECT_IS_TOP_LEVEL)
    set_target_properties(parmac_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
endfunction()

parmac_interface(parmac ${parmac_headers})
target_compile_features(parmac_parmac INTERFACE cxx_std_20)
target_link_libraries(parmac_parmac INTERFACE Eigen3::Eigen Boost::headers Threads::Threads)

find_package(ZLIB QUIET)
if(ZLIB_FOUND)
  parmac_interface(zlib ${parmac_zlib_headers})
  target_link_libraries(parmac_zlib INTERFACE parmac::parmac ZLIB::ZLIB)
endif()

if(TARGET Boost::serialization)
  parmac_interface(serialization ${parmac_serialization_headers})
  target_link_libraries(parmac_serialization INTERFACE parmac::parmac Boost::serialization)
endif()

if(PARMAC_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
  find_package(Boost 1.74 REQUIRED CONFIG COMPONENTS mpi serialization)
  parmac_interface(mpi ${parmac_mpi_headers})
  target_link_libraries(parmac_mpi INTERFACE
    parmac::serialization Boost::mpi MPI::MPI_CXX)
endif()
