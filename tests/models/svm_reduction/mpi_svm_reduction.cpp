// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include "parmac/mpi.hpp"
#include "reduction_setup.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("Dimension reduction learns over MPI what it learns on threads") {
  RandomStream random(6);
  const ReductionSetup setup{ClassedPoints(5, 120, 3, random)};
  MpiRing ring{boost::mpi::communicator()};
  check_mpi(ring, setup, {.penalty = GeometricPenalty{0.5, 2}, .max_iterations = 3, .epochs = 2});
}
