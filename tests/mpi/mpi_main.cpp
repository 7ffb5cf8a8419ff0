// SPDX-License-Identifier: BSL-1.0
// Catch's main for programs under mpirun: every rank runs the same cases in the same order; rank 0
// speaks, others only when they fail. A case that fails on one rank ends all, since the others
// would wait for it. The exit status is the largest of all ranks.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_NO_POSIX_SIGNALS // the rank that failed has spoken when mpirun ends the others
#include "catch.hpp"

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/operations.hpp>
#include <iostream>
#include <sstream>

namespace {

std::ostringstream silent; // what ranks other than 0 would have said
std::streambuf* spoken = nullptr;

#if PARMAC_CATCH_MAJOR == 3
using ListenerBase = Catch::EventListenerBase;
#else
using ListenerBase = Catch::TestEventListenerBase;
#endif

struct EndAll : ListenerBase {
  using ListenerBase::ListenerBase;
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (stats.totals.assertions.allOk()) return;
    const boost::mpi::communicator world;
    std::ostream out(spoken);
    out << silent.str() + "rank " + std::to_string(world.rank()) + " of " +
               std::to_string(world.size()) + ": '" + stats.testInfo.name + "' failed\n"
        << std::flush;
    boost::mpi::environment::abort(1);
  }
};
CATCH_REGISTER_LISTENER(EndAll)

} // namespace

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv, boost::mpi::threading::funneled);
  const boost::mpi::communicator world;
  spoken = std::cout.rdbuf();
  if (world.rank() != 0) std::cout.rdbuf(silent.rdbuf());
  const int status = Catch::Session().run(argc, argv);
  std::cout.rdbuf(spoken);
  return boost::mpi::all_reduce(world, status, boost::mpi::maximum<int>());
}
