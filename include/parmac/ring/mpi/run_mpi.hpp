// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>

#include "parmac/support/check.hpp"
#include "parmac/support/clock.hpp"
#include "parmac/support/error.hpp"

namespace parmac {

/// The main program of every rank: starts MPI, runs `program(world)`, which returns the exit status
/// or nothing, and ends MPI. An exception prints one line that names the rank, and ends all ranks
/// with status 1: those that wait in a ring throw RemoteError and say nothing; those that cannot be
/// reached are ended by MPI_Abort after a few seconds. Call it once, from `main`.
template <class Program>
int run_mpi(int argc, char** argv, Program&& program) {
  boost::mpi::environment environment(argc, argv, boost::mpi::threading::funneled, false);
  const boost::mpi::communicator world;
  int status = 1;
  try {
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
      if (const char* launched = std::getenv(variable))
        require(world.size() > 1 || std::string(launched) == "1", "the launcher started ", launched,
                " processes, but each believes to be alone: this program is built with another MPI "
                "than the one that launched it");
    if constexpr (std::is_void_v<decltype(program(world))>) {
      program(world);
      status = 0;
    } else {
      status = program(world);
    }
  } catch (const RemoteError&) {
    // The rank that failed of itself has the word.
  } catch (const std::exception& failure) {
    std::cerr << text("parmac: rank ", world.rank(), " of ", world.size(), ": ", failure.what(), "\n")
              << std::flush;
  }
  // Where all ranks come this far, MPI ends in good order. A failed rank does not wait for long.
  MPI_Request barrier = MPI_REQUEST_NULL;
  MPI_Ibarrier(world, &barrier);
  const Stopwatch clock;
  for (int all = 0; all == 0;) {
    MPI_Test(&barrier, &all, MPI_STATUS_IGNORE);
    if (all == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (all == 0 && status != 0 && clock.seconds() > 3) environment.abort(status);
  }
  return status;
}

} // namespace parmac
