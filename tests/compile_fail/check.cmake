# Compiles a case, which must fail, and the first error that the compiler gives must be the sentence
# of the case's first line; and the same file with SANE, which must compile, so that it is this one
# mistake that is refused.
#   cmake -DCASE=... -DFOLDER=... -DCOMPILE=compiler;flag;... -P check.cmake

function(compile result output)
  execute_process(COMMAND ${COMPILE} ${ARGN} -fsyntax-only -include ${FOLDER}/prelude.hpp ${CASE}
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} "${status}" PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

file(STRINGS ${CASE} first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect: (.+)$")
  message(FATAL_ERROR "${CASE} does not begin with '// expect: ...'")
endif()
set(sentence "parmac: .*${CMAKE_MATCH_1}")

compile(status text)
if(status EQUAL 0)
  message(FATAL_ERROR "The mistake compiles.")
endif()
string(REGEX MATCH "error: [^\n]*" error "${text}")
if(NOT error MATCHES "${sentence}")
  message(FATAL_ERROR "The first error should say\n  ${sentence}\nbut is\n  ${error}\nin\n${text}")
endif()

compile(status text -DSANE)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "It is refused without the mistake too:\n${text}")
endif()
