# Proves that check_layers.cmake catches what it is for: each line of the table below is a breach,
# put into a copy of the headers of its own.
#   cmake -DHEADERS=include -DSCRATCH=folder -P catches_breaches.cmake

function(check expected) # ARGN: words of the complaint
  execute_process(COMMAND ${CMAKE_COMMAND} -DHEADERS=${SCRATCH}
    -P ${CMAKE_CURRENT_LIST_DIR}/check_layers.cmake
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(expected STREQUAL "clean" AND NOT status EQUAL 0)
    message(FATAL_ERROR "The headers as they are do not pass:\n${text}")
  elseif(expected STREQUAL "breach" AND (status EQUAL 0 OR NOT text MATCHES "${ARGN}"))
    message(FATAL_ERROR "Not caught: ${ARGN}\n${text}")
  endif()
endfunction()

function(breach header include)
  file(READ ${HEADERS}/parmac/${header} text)
  file(WRITE ${SCRATCH}/parmac/${header} "${text}\n#include ${include}\n")
  string(REGEX REPLACE "[<>\"]" "" words "${include}")
  string(REGEX REPLACE "^parmac/" "" words "${words}")
  check(breach "${header}.* includes .*${words}")
  file(WRITE ${SCRATCH}/parmac/${header} "${text}")
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
file(COPY ${HEADERS}/parmac DESTINATION ${SCRATCH})
check(clean)
breach(support/index.hpp "\"parmac/core/visit.hpp\"")              # upwards
breach(core/visit.hpp "\"parmac/ring/ring.hpp\"")
breach(ring/ring.hpp "\"parmac/solvers/hinge.hpp\"")               # to a neighbour
breach(solvers/hinge.hpp "\"parmac/ring/baton.hpp\"")
breach(train/trainer.hpp "\"parmac/models/binary_autoencoder/model.hpp\"")
breach(schedule/geometric_penalty.hpp "\"parmac/testing/archetypes.hpp\"")
breach(train/trainer.hpp "\"parmac/parmac.hpp\"")                  # to what gathers all
breach(parmac.hpp "\"parmac/ring/mpi/mpi_ring.hpp\"")              # MPI for all
breach(train/w_step.hpp "\"parmac/ring/mpi/mpi_ring.hpp\"")
breach(parmac.hpp "\"parmac/serialization.hpp\"")
breach(core/portable.hpp "<boost/serialization/access.hpp>")
breach(core/portable.hpp "<boost/mpi/communicator.hpp>")
breach(core/portable.hpp "<boost/core/span.hpp>")
breach(ring/ring.hpp "<mpi.h>")
breach(ring/ring.hpp "<boost/mpi.hpp>")
breach(train/payload.hpp "<boost/archive/binary_oarchive.hpp>")
breach(data/points.hpp "<zlib.h>")
breach(parmac.hpp "\"parmac/data/gzip.hpp\"")
breach(support/index.hpp "\"error.hpp\"")                          # not from the root
breach(support/index.hpp "\"parmac/support/nowhere.hpp\"")
file(WRITE ${SCRATCH}/parmac/attic/old.hpp "#pragma once\n")
check(breach "attic/old.hpp lies in a folder that has no layer")
file(REMOVE_RECURSE ${SCRATCH})
