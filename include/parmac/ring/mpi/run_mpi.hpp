// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <type_traits>

#include "parmac/support/check.hpp"
#include "parmac/support/clock.hpp"
#include "parmac/support/error.hpp"

namespace parmac {

/// The main program of every rank: starts MPI, runs `program(world)`, which returns the exit status
/// or nothing, and ends MPI. When exceptions end it, the lowest rank that failed of itself prints
/// one line, and all ranks leave with status 1: those that wait in a ring throw RemoteError and say
/// nothing; those that cannot be reached are ended by MPI_Abort after a few seconds. Call it once,
/// from `main`.
template <class Program>
int run_mpi(int argc, char** argv, Program&& program) {
  boost::mpi::environment environment(argc, argv, boost::mpi::threading::funneled, false);
  const boost::mpi::communicator world;
  // For the end alone: on `world` a rank that has failed would meet the others in the midst of a
  // collective of theirs, such as the making of a ring, and MPI would take the two for one.
  const boost::mpi::communicator farewell(world, boost::mpi::comm_duplicate);
  int status = 1;
  std::string failed; // of itself; the rank that a RemoteError comes from has the word
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
  } catch (const std::exception& failure) {
    failed = text("parmac: rank ", world.rank(), " of ", world.size(), ": ", failure.what(), "\n");
  }

  // Where all ranks come this far, MPI ends in good order. A failed rank does not wait for long.
  const int mine = failed.empty() ? world.size() : world.rank();
  int first = mine;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, farewell, &request);
  const Stopwatch clock;
  int all = 0;
  for (MPI_Test(&request, &all, MPI_STATUS_IGNORE);
       all == 0 && (status == 0 || clock.seconds() < 3);
       MPI_Test(&request, &all, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (!failed.empty() && (all == 0 || first == world.rank())) std::cerr << failed << std::flush;
  if (all == 0) environment.abort(status);
  return status;
}

} // namespace parmac
