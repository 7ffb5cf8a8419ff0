# Runs fault_program on 3 ranks, of which one after another fails, and judges how the job ends.
cmake_minimum_required(VERSION 3.25)

set(ranks 0 1 2)
if(case MATCHES "reader|stall|finalized") # seconds each
  set(ranks 0)
endif()
foreach(rank IN LISTS ranks)
  string(TIMESTAMP begin "%s")
  execute_process(COMMAND ${launch} ${ranks_flag} 3 ${program} ${case} ${rank}
    TIMEOUT 20 RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE complained)
  string(TIMESTAMP end "%s")
  math(EXPR seconds "${end} - ${begin}")
  set(story "${case} on rank ${rank}: status ${status} after ${seconds} s\n${said}\n${complained}")
  string(REGEX MATCHALL "parmac: rank [0-9]+ of [0-9]+: [^\n]*" lines "${complained}")
  string(REGEX MATCHALL "parmac: rank [0-9]+ has waited [^\n]*" stalls "${complained}")
  list(LENGTH lines count)
  list(LENGTH stalls stall_count)

  if(seconds GREATER 10)
    message(FATAL_ERROR "took longer than 10 s: ${story}")
  endif()
  if(case STREQUAL "late" OR case STREQUAL "finalized")
    if(NOT status STREQUAL "0" OR NOT said MATCHES "trained" OR count GREATER 0)
      message(FATAL_ERROR "did not complete: ${story}")
    endif()
    if(case STREQUAL "late" AND NOT stalls MATCHES
       "has waited [0-9.]+ s for submodels .*W step of iteration 1.*from rank [0-2]")
      message(FATAL_ERROR "nobody said for what, and for whom, it waited: ${story}")
    endif()
  elseif(case STREQUAL "stall")
    if(NOT status STREQUAL "1" OR NOT count GREATER_EQUAL 1 OR NOT lines MATCHES "the limit is 1.5 s")
      message(FATAL_ERROR "did not give up as it should: ${story}")
    endif()
  elseif(NOT status STREQUAL "1" OR NOT lines STREQUAL
         "parmac: rank ${rank} of 3: broken on purpose in ${case}")
    message(FATAL_ERROR "did not end with status 1 and one line that names rank ${rank}: ${story}")
  endif()
endforeach()
