# What the pages quote stands in the files that they name, character for character.
#   cmake -D PROJECT=folder -P check_quotes.cmake
#
# A block of C++ in a page of docs/ is announced by a line that names its source:
#   <!-- from: docs/snippets/hash_codes.cpp -->
# and a block of text may be announced as words that a source says, in however many string literals:
#   <!-- said by: include/parmac/core/submodels.hpp -->

cmake_policy(VERSION 3.25)

# Works on strings, never on lists, since C++ is full of semicolons and brackets.
function(check page path mode block)
  if(NOT EXISTS ${PROJECT}/${path})
    message(FATAL_ERROR "${page} quotes ${path}, which does not exist")
  endif()
  file(READ ${PROJECT}/${path} source)
  if(mode STREQUAL "said by")
    string(REGEX REPLACE "\"[ \t\r\n]+\"" "" source "${source}")
    string(REGEX REPLACE "[ \t\r\n]+" " " block "${block}")
  endif()
  string(STRIP "${block}" block)
  string(FIND "${source}" "${block}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${page} quotes what is not in ${path}:\n${block}")
  endif()
endfunction()

file(GLOB_RECURSE pages RELATIVE ${PROJECT} ${PROJECT}/docs/*.md)
set(quotes 0)
foreach(page IN LISTS pages)
  file(READ ${PROJECT}/${page} rest)
  while(TRUE)
    string(FIND "${rest}" "```" fence)
    if(fence EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${rest}" 0 ${fence} before)
    math(EXPR fence "${fence} + 3")
    string(SUBSTRING "${rest}" ${fence} -1 rest)
    string(FIND "${rest}" "\n" line)
    string(SUBSTRING "${rest}" 0 ${line} language)
    string(FIND "${rest}" "```" end)
    if(end EQUAL -1)
      message(FATAL_ERROR "${page} has a block that does not end")
    endif()
    string(SUBSTRING "${rest}" ${line} -1 block)
    math(EXPR length "${end} - ${line}")
    string(SUBSTRING "${block}" 0 ${length} block)
    math(EXPR end "${end} + 3")
    string(SUBSTRING "${rest}" ${end} -1 rest)

    if(before MATCHES "<!-- (from|said by): ([^ \n]+) -->[ \n]*$")
      check(${page} ${CMAKE_MATCH_2} ${CMAKE_MATCH_1} "${block}")
      math(EXPR quotes "${quotes} + 1")
    elseif(language MATCHES "^cpp")
      message(SEND_ERROR "${page} has a block of C++ without a source:${block}")
    endif()
  endwhile()
endforeach()
if(quotes EQUAL 0)
  message(FATAL_ERROR "no page quotes anything")
endif()
message(STATUS "${quotes} quotes compared.")
