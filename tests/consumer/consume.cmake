# Builds and runs the project beside this file the way WAY: installed, moved and found (with all, or
# where MPI was switched off), as a subdirectory, fetched, or by the compiler alone.

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " words)
    message(FATAL_ERROR "${words}\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

# The mean of the points 1 .. 10, however many machines.
function(expect_mean)
  run(${ARGV})
  if(NOT output MATCHES "^mean 5\\.5\n$")
    message(FATAL_ERROR "'mean 5.5' was expected, not:\n${output}")
  endif()
endfunction()

set(project ${CMAKE_CURRENT_LIST_DIR}/project)
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})

if(WAY STREQUAL plain)
  set(flags -std=c++20 -I${PARMAC}/include)
  foreach(folder IN LISTS EIGEN)
    list(APPEND flags -isystem ${folder})
  endforeach()
  set(sources ${project}/main.cpp ${project}/means.cpp)
  run(${COMPILER} ${flags} ${sources} -pthread -o ${SCRATCH}/alone)
  expect_mean(${SCRATCH}/alone)
  if(WITH_MPI)
    run(${MPI_COMPILER} ${flags} -DWITH_MPI ${sources} -lboost_mpi -lboost_serialization
      -o ${SCRATCH}/with_mpi)
    expect_mean(${LAUNCH} ${SCRATCH}/with_mpi)
  endif()
  return()
endif()

set(settings --no-warn-unused-cli -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Debug
  -DFETCHCONTENT_FULLY_DISCONNECTED=ON)
set(arguments -DWITH_MPI=${WITH_MPI} -DPARMAC_SOURCE=${PARMAC})
if(WAY MATCHES "^find_package")
  run(${CMAKE_COMMAND} ${settings} -S ${PARMAC} -B ${SCRATCH}/parmac_build
    -DPARMAC_MPI=${WITH_MPI} -DPARMAC_TESTS=OFF -DPARMAC_EXAMPLES=OFF
    -DCMAKE_INSTALL_PREFIX=${SCRATCH}/first_prefix)
  run(${CMAKE_COMMAND} --install ${SCRATCH}/parmac_build)
  file(RENAME ${SCRATCH}/first_prefix ${SCRATCH}/prefix)
  list(APPEND arguments -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix)

  # What is installed names neither where it came from nor where it first went.
  file(GLOB_RECURSE installed ${SCRATCH}/prefix/*.cmake)
  foreach(file IN LISTS installed)
    file(READ ${file} text)
    foreach(folder IN ITEMS ${PARMAC}/ ${SCRATCH})
      string(FIND "${text}" "${folder}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${file} names ${folder}")
      endif()
    endforeach()
  endforeach()

  # All headers are installed, and where MPI is off all but those that need it.
  file(GLOB_RECURSE ours RELATIVE ${PARMAC}/include ${PARMAC}/include/*.hpp)
  if(NOT WITH_MPI)
    list(FILTER ours EXCLUDE REGEX "parmac/mpi.hpp|parmac/ring/mpi/")
    list(APPEND arguments -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON)
  endif()
  foreach(header IN LISTS ours)
    if(NOT EXISTS ${SCRATCH}/prefix/include/${header})
      message(FATAL_ERROR "${header} is not installed")
    endif()
  endforeach()
endif()
string(REGEX REPLACE "_without_mpi" "" how ${WAY})
run(${CMAKE_COMMAND} ${settings} -S ${project} -B ${SCRATCH}/build -DHOW=${how} ${arguments})
if(output MATCHES "CMake [A-Za-z ]*Warning")
  message(FATAL_ERROR "Configuring warns:\n${output}")
endif()
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
expect_mean(${SCRATCH}/build/alone)
if(WITH_MPI)
  expect_mean(${LAUNCH} ${SCRATCH}/build/with_mpi)
endif()

# None of parmac's own tests and programs came along.
run(${CMAKE_CTEST_COMMAND} --test-dir ${SCRATCH}/build -N)
if(NOT output MATCHES "Total Tests: 0")
  message(FATAL_ERROR "The user's project has got tests of parmac's:\n${output}")
endif()
file(GLOB_RECURSE objects ${SCRATCH}/build/*.o)
foreach(object IN LISTS objects)
  if(NOT object MATCHES "/(main|means)\\.cpp\\.o$")
    message(FATAL_ERROR "The user's project builds something of parmac's: ${object}")
  endif()
endforeach()

if(WAY STREQUAL find_package_without_mpi)
  # To ask for MPI nevertheless is refused, by name.
  execute_process(COMMAND ${CMAKE_COMMAND} ${settings} -S ${project} -B ${SCRATCH}/refused
    -DHOW=find_package ${arguments} -DWITH_MPI=ON
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(status EQUAL 0 OR NOT text MATCHES "parmac" OR NOT text MATCHES "mpi")
    message(FATAL_ERROR "The component mpi should have been missed:\n${text}")
  endif()
endif()
