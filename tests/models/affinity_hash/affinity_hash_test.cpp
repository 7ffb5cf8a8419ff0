// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include <algorithm>
#include <cmath>

#include "affinity_hash_setup.hpp"
#include "parmac/data/labels.hpp"
#include "parmac/data/open.hpp"
#include "parmac/retrieval/hamming_search.hpp"
#include "parmac/retrieval/metrics.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

using Labels = std::vector<std::uint8_t>;

// The objective from its definition: all pairs, point by point.
double affinity_error(const Eigen::MatrixXd& Z, const Labels& labels, double different) {
  const Eigen::MatrixXd B = (2 * Z.array() - 1).matrix();
  const double L = static_cast<double>(B.rows());
  double sum = 0;
  for (Index n = 0; n < B.cols(); ++n)
    for (Index m = 0; m < B.cols(); ++m) {
      const bool same = labels[static_cast<std::size_t>(n)] == labels[static_cast<std::size_t>(m)];
      const double lack = B.col(n).dot(B.col(m)) / L - (same ? 1.0 : different);
      sum += lack * lack;
    }
  return B.cols() == 0 ? 0 : sum / static_cast<double>(B.cols());
}

AffinityHash random_model(Index D, Index L, RandomStream& random) {
  AffinityHash model(all_features(D), L);
  for (float& w : model.hash().weights().reshaped()) w = static_cast<float>(random.normal());
  return model;
}

} // namespace

TEST_CASE("Sums of products give the error over all pairs, and what a flip changes") {
  RandomStream random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const auto L = static_cast<Index>(1 + random.below(9));
    const auto N = static_cast<Index>(1 + random.below(12));
    const double different = random.uniform() - 1;
    const Labels labels = random_labels(random, N, 1 + random.below(4));
    PackedCodes codes(L, N);
    randomise(codes, random);
    Eigen::MatrixXd Z = dense(codes);
    Affinities affinities(L, different);
    const auto signs = [&](Index n) -> Affinities::Code {
      return (2 * Z.col(n).array() - 1).cast<int>().matrix();
    };
    for (Index n = 0; n < N; ++n) affinities.add(signs(n), labels[static_cast<std::size_t>(n)]);
    const double before = affinity_error(Z, labels, different);
    REQUIRE(affinities.objective() == Approx(before).epsilon(1e-9).margin(1e-9));

    const auto n = static_cast<Index>(random.below(static_cast<std::uint64_t>(N)));
    const auto l = static_cast<Index>(random.below(static_cast<std::uint64_t>(L)));
    const Affinities::Code b = signs(n);
    affinities.add(b, labels[static_cast<std::size_t>(n)], -1);
    const double said =
        affinities.change(b, labels[static_cast<std::size_t>(n)], l, affinities.total());
    Z(l, n) = 1 - Z(l, n);
    REQUIRE(affinity_error(Z, labels, different) - before == Approx(said).margin(1e-9));
  }
}

TEST_CASE("The Z step reports the objective as defined, and ends where no bit wants to flip") {
  RandomStream random(2);
  for (int trial = 0; trial < 60; ++trial) {
    const auto D = static_cast<Index>(1 + random.below(5));
    const auto L = static_cast<Index>(1 + random.below(6));
    const auto N = static_cast<Index>(1 + random.below(9));
    const double mu = std::pow(10.0, 6 * random.uniform() - 4);
    const double different = random.below(2) == 0 ? -1 : 0;
    AffinityShard shard(float_points(random, D, N), random_labels(random, N, 3), L);
    randomise(shard.Z, random);
    const AffinityHash model = random_model(D, L, random);
    const Eigen::MatrixXd H = dense(model.encode(shard.points));
    const Eigen::MatrixXd old = dense(shard.Z);
    const auto objective = [&](const Eigen::MatrixXd& Z) {
      return affinity_error(Z, shard.labels, different) + mu * (Z - H).squaredNorm();
    };
    AffinityCoordinates step({.different = different, .sweeps = 1000});
    const CoordinateReport report = step.update(model, shard, mu);
    Eigen::MatrixXd Z = dense(shard.Z);
    REQUIRE(report.before == Approx(objective(old)).epsilon(1e-9).margin(1e-9));
    REQUIRE(report.objective == Approx(objective(Z)).epsilon(1e-9).margin(1e-9));
    REQUIRE(report.nested == Approx(affinity_error(H, shard.labels, different)).margin(1e-9));
    REQUIRE(report.violation == (Z - H).squaredNorm());
    REQUIRE(report.changed == static_cast<double>((Z - old).colwise().any().count()));
    for (Index n = 0; n < N; ++n)
      for (Index l = 0; l < L; ++l) {
        const double here = objective(Z);
        Z(l, n) = 1 - Z(l, n);
        if (objective(Z) < here - 1e-9 * (1 + mu)) FAIL_CHECK("bit " << l << " of " << n);
        Z(l, n) = 1 - Z(l, n);
      }
  }
}

TEST_CASE("A large penalty keeps the codes at h(x); none lets classes have a code each") {
  RandomStream random(3);
  const Points points = float_points(random, 4, 30);
  const AffinityHash model = random_model(4, 8, random);
  AffinityShard shard(points, random_labels(random, 30, 2), 8);
  AffinityCoordinates step({.sweeps = 100});
  step.project(model, shard);
  CHECK(step.update(model, shard, 100).changed == 0);
  randomise(shard.Z, random);
  // Two classes can have opposite codes, the least error of all: 0.
  CHECK(step.update(model, shard, 0).objective == Approx(0).margin(1e-9));
}

TEST_CASE("Labels that do not fit the points are refused") {
  RandomStream random(4);
  CHECK_THROWS_AS(AffinityShard(float_points(random, 2, 3), {0, 1}, 4), ShapeError);
  CHECK_THROWS_AS(AffinityCoordinates({.different = 1}), ConfigError);
  CHECK_THROWS_AS(AffinityCoordinates({.sweeps = 0}), ConfigError);
  AffinityShard shard(float_points(random, 2, 3), {0, 1, 1}, 4);
  AffinityCoordinates step;
  CHECK_THROWS_AS(step.update(random_model(2, 5, random), shard, 1), ShapeError);
  CHECK_THROWS_AS(step.update(random_model(3, 4, random), shard, 1), ShapeError);
}

TEST_CASE("Supervised hashing keeps the promises of every model") {
  RandomStream random(5);
  const AffinitySetup setup{byte_points(random, 7, 160), random_labels(random, 160, 3)};
  check_promises(setup, {.max_iterations = 3, .epochs = 2});
  check_promises(setup, {.max_iterations = 2, .shuffle_ring = true});
  const auto empty = [&] { return AffinityShard(setup.points.slice(0, 0), {}, 6); };
  check_laws(setup, 0.05, empty);
}

TEST_CASE("Codes learnt from labels find digits of the same class better than tPCA codes") {
  const std::string data = PARMAC_EXAMPLE_DATA;
  const Points learn = open_points(data + "/digits_learn_images.idx");
  const Points test = open_points(data + "/digits_test_images.idx");
  const Labels classes = read_labels(data + "/digits_learn_labels.idx");
  const Labels wanted = read_labels(data + "/digits_test_labels.idx");
  SerialRing ring;
  AffinityHash model(all_features(learn.dimension()), 16);
  AffinityShard shard(learn, classes, 16);
  start(model, shard, summing(ring));
  BinaryAutoencoder pca(learn.dimension(), 16);
  BinaryShard codes(learn, 16);
  start(pca, codes, summing(ring));
  AffinityCoordinates coordinates;
  Trainer trainer{model, coordinates, ring};
  trainer.fit(shard, {.penalty = GeometricPenalty{1e-3, 1.5}, .max_iterations = 20, .epochs = 3});
  const auto precision = [&](const auto& hash) {
    return class_precision(hamming_search(hash.encode(learn), hash.encode(test), 100).rows, classes,
                           wanted);
  };
  const double supervised = precision(model);
  const double unsupervised = precision(pca);
  INFO("supervised " << supervised << ", tPCA " << unsupervised);
  CHECK(supervised > unsupervised + 0.1);
}
