# parmac_add_unit_tests(FOLDER [LABELS ...] [LIBRARIES ...])
# makes one Catch2 program of tests/unit/FOLDER/**/*_test.cpp and a CTest of every case in it.
function(parmac_add_unit_tests folder)
  cmake_parse_arguments(ARG "" "" "LABELS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/unit/${folder}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(unit_${folder} ${sources} $<TARGET_OBJECTS:parmac_unit_main>)
  target_include_directories(unit_${folder} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support)
  target_link_libraries(unit_${folder} PRIVATE
    parmac::parmac ${ARG_LIBRARIES} Catch2::Catch2 parmac_development)
  catch_discover_tests(unit_${folder} TEST_PREFIX "${folder}: "
    PROPERTIES TIMEOUT 120 LABELS "unit;${ARG_LABELS}")
endfunction()
