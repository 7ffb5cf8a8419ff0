// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include "mixed_setup.hpp"
#include "parmac/mpi.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("A mixed autoencoder learns over MPI what it learns on threads") {
  RandomStream random(6);
  const MixedSetup setup{byte_points(random, 8, 160)};
  MpiRing ring{boost::mpi::communicator()};
  check_mpi(ring, setup, {.max_iterations = 3, .epochs = 2});
  check_mpi(ring, setup, {.max_iterations = 2, .batons_per_machine = 2});
}
