# parmac_add_mpi_test(NAME RANKS 1 2 3 ... [TARGET program] [ARGS ...] [SUFFIX ...] [LABELS ...]
#                     [ENVIRONMENT ...] [TIMEOUT seconds])
# runs a program under mpirun, a CTest NAME.npP[.SUFFIX] for each number of ranks P.
set(parmac_mpi_environment
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # as in containers
  OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMP_NUM_THREADS=1)
if(PARMAC_SANITIZE MATCHES "address")
  list(APPEND parmac_mpi_environment ASAN_OPTIONS=detect_leaks=0) # MPI's own leaks, not ours
endif()

execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_QUIET)
set(parmac_mpi_launch ${MPIEXEC_EXECUTABLE})
if(version MATCHES "Open MPI|OpenRTE")
  list(APPEND parmac_mpi_launch --oversubscribe)
endif()

function(parmac_add_mpi_test name)
  cmake_parse_arguments(ARG "" "TARGET;SUFFIX;TIMEOUT" "RANKS;ARGS;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TARGET)
    set(ARG_TARGET ${name})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(ARG_SUFFIX)
    string(PREPEND ARG_SUFFIX .)
  endif()
  foreach(ranks IN LISTS ARG_RANKS)
    set(test ${name}.np${ranks}${ARG_SUFFIX})
    add_test(NAME ${test} COMMAND ${parmac_mpi_launch} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
      ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${ARG_TARGET}> ${MPIEXEC_POSTFLAGS} ${ARG_ARGS})
    set_tests_properties(${test} PROPERTIES
      PROCESSORS ${ranks} TIMEOUT ${ARG_TIMEOUT} LABELS "mpi;${ARG_LABELS}"
      ENVIRONMENT "${parmac_mpi_environment};${ARG_ENVIRONMENT}")
  endforeach()
endfunction()
