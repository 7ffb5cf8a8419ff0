// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdlib>

#include "parmac/mpi.hpp"

/// Runs `program(ring)` where the user wants it: on the ranks of mpirun where that has started the
/// program, else on `threads` machines in this process, else alone. Returns the exit status.
template <class Program>
int run_where(int argc, char** argv, int threads, Program program) {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr)
    return parmac::run_mpi(argc, argv, [&](const boost::mpi::communicator& world) {
      parmac::MpiRing ring{world};
      program(ring);
    });
  try {
    if (threads > 1) {
      parmac::run_threads(threads, [&](parmac::ThreadRing& ring) { program(ring); });
    } else {
      parmac::SerialRing alone;
      program(alone);
    }
  } catch (const std::exception& failure) {
    std::cerr << "parmac: " << failure.what() << "\n";
    return 1;
  }
  return 0;
}
