# Shows what Doxygen has complained of, and fails.
#   cmake -D FILE=doxygen_warnings.txt -P show_and_fail.cmake
file(READ ${FILE} complaints)
message(FATAL_ERROR "Doxygen complains:\n${complaints}")
