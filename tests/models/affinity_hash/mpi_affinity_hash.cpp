// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include "affinity_hash_setup.hpp"
#include "parmac/mpi.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("Supervised hash functions learn over MPI what they learn on threads") {
  RandomStream random(6);
  const AffinitySetup setup{byte_points(random, 7, 160), random_labels(random, 160, 3)};
  MpiRing ring{boost::mpi::communicator()};
  check_mpi(ring, setup, {.max_iterations = 3, .epochs = 2});
  check_mpi(ring, setup, {.max_iterations = 2, .shuffle_ring = true});
}
