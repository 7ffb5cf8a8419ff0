// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include "net_setup.hpp"
#include "parmac/mpi.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("Nets learn over MPI what they learn on threads") {
  RandomStream random(9);
  MpiRing ring{boost::mpi::communicator()};
  const FitSettings fit{.penalty = GeometricPenalty{1, 2}, .max_iterations = 3, .epochs = 2};
  NetSetup setup{float_points(random, 4, 90), {}, {5, 3}, {}, {.augmented = true}};
  check_mpi(ring, setup, fit);
  setup.labels = three_classes(random, 90);
  setup.settings = {.output = NetOutput::softmax, .fit = NetFit::sgd};
  check_mpi(ring, setup, fit);
}
