# Flags for parmac's own examples, tests and benchmarks; none of them reaches a user's program.
set(CMAKE_CXX_EXTENSIONS OFF)
add_library(parmac_development INTERFACE)
target_compile_options(parmac_development INTERFACE
  -Wall -Wextra -Wpedantic
  -Wconversion -Wsign-conversion   # a narrowed size is how other rings broke at 2 GiB
  -Wshadow -Wold-style-cast -Wdouble-promotion -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -fconcepts-diagnostics-depth=3
    -Wno-maybe-uninitialized -Wno-uninitialized>)  # false alarms in g++ 12's AVX-512 headers
if(PARMAC_NATIVE)
  target_compile_options(parmac_development INTERFACE -march=native)
endif()
if(PARMAC_SANITIZE)
  target_compile_options(parmac_development INTERFACE
    -fsanitize=${PARMAC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_definitions(parmac_development INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(parmac_development INTERFACE -fsanitize=${PARMAC_SANITIZE})
endif()
