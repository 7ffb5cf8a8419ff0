// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include "parmac/mpi.hpp"
#include "tree_setup.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("Trees grow over MPI as they grow on threads") {
  RandomStream random(5);
  const TreeSetup setup{byte_points(random, 7, 160)};
  MpiRing ring{boost::mpi::communicator()};
  check_mpi(ring, setup, {.max_iterations = 3});
  check_mpi(ring, setup, {.max_iterations = 2, .shuffle_ring = true});
}
