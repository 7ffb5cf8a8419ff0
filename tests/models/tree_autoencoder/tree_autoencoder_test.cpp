// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include <cmath>
#include <vector>

#include "parmac/models/binary_autoencoder.hpp"
#include "tree_setup.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("An autoencoder of trees keeps the promises of every model") {
  RandomStream random(1);
  const TreeSetup setup{byte_points(random, 7, 200)};
  check_promises(setup, {.max_iterations = 3});
  check_promises(setup, {.max_iterations = 2, .shuffle_ring = true, .batons_per_machine = 2});
  check_laws(setup, 0.02, [&] { return BinaryShard(setup.points.slice(0, 0), 5); });
}

TEST_CASE("For bytes, one W step gives the same trees and decoder on any number of machines") {
  RandomStream random(2);
  const TreeSetup setup{byte_points(random, 7, 150)};
  const FitSettings one_step{.max_iterations = 1, .final_fit = false};
  const std::string alone = train_on_threads(1, setup, one_step)[0].model;
  for (const int machines : {2, 3, 8})
    CHECK(train_on_threads(machines, setup, one_step)[0].model == alone);
}

TEST_CASE("Trees follow a code that no linear function does") {
  // A bit that is set in the middle third of a feature: every linear function errs on a third.
  RandomStream random(3);
  Eigen::MatrixXf X(2, 900);
  std::vector<bool> middle;
  for (Index n = 0; n < 900; ++n) {
    const double x = 3 * random.uniform() - 1.5;
    X.col(n) << static_cast<float>(random.normal()), static_cast<float>(x);
    middle.push_back(std::abs(x) < 0.5);
  }
  const Points points(X);
  SerialRing ring;
  BinaryShard shard(points, 1);
  TreeAutoencoder model(2, 1, {.depth = 3, .least_points = 1});
  start(model, shard, summing(ring));
  for (Index n = 0; n < 900; ++n) shard.Z.set(n, 0, middle[static_cast<std::size_t>(n)]);
  for (int lap = 0; lap < 3; ++lap)
    model.train({0, 1}, shard, {.epoch = lap, .visits_before = static_cast<std::uint64_t>(lap)});
  model.finish({0, 1});
  const PackedCodes codes = model.encode(points);
  Index wrong = 0;
  for (Index n = 0; n < 900; ++n) wrong += codes.get(n, 0) != shard.Z.get(n, 0) ? 1 : 0;
  CHECK(wrong < 60); // the bins are coarse
}

TEST_CASE("Trees that would not see all machines a level are refused") {
  RandomStream random(4);
  const TreeSetup setup{byte_points(random, 4, 40)};
  CHECK_THROWS_AS(train_on_threads(2, setup, {.max_iterations = 1, .local_epochs = true}), Error);
}
