// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include "parmac/mpi.hpp"
#include "rbf_setup.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("An RBF autoencoder learns over MPI what it learns on threads") {
  RandomStream random(6);
  const RbfSetup setup{float_points(random, 5, 100)};
  MpiRing ring{boost::mpi::communicator()};
  check_mpi(ring, setup, {.penalty = GeometricPenalty{1e-2, 2}, .max_iterations = 3});
}
