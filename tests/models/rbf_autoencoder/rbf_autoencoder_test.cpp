// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include <cmath>

#include "rbf_setup.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("The Z step finds what a fine grid finds, from a start in the same valley") {
  RandomStream random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const Points points = float_points(random, 3, 40);
    SerialRing ring;
    auto part = RbfSetup{points, 1}.prepare(ring);
    for (const SubmodelRange kind : part.model.kinds()) {
      part.model.train(kind, part.shard, {});
      part.model.finish(kind);
    }
    const RbfPointProblem problem(part.model);
    const Eigen::VectorXd u = Eigen::VectorXd::NullaryExpr(3, [&] { return random.normal() / 2; });
    const Eigen::VectorXd F = Eigen::VectorXd::Constant(1, random.normal());
    const double mu = std::pow(10.0, 3 * random.uniform() - 2);
    double lowest = INFINITY, where = 0;
    for (double z = -6; z <= 6; z += 1e-3) {
      const double here = problem.objective(Eigen::VectorXd::Constant(1, z), u, F, mu);
      if (here < lowest) {
        lowest = here;
        where = z;
      }
    }
    Eigen::VectorXd z = Eigen::VectorXd::Constant(1, where + 0.02 * random.normal());
    const double found = problem.improve(z, u, F, mu, 50);
    CHECK(found <= lowest + 1e-9);
    CHECK(found >= lowest - 1e-4 * (1 + lowest)); // as fine as the grid
    CHECK(found == Approx(problem.objective(z, u, F, mu)));
  }
}

TEST_CASE("No Z step raises the objective, wherever it begins") {
  RandomStream random(2);
  const Points points = float_points(random, 4, 60);
  SerialRing ring;
  auto part = RbfSetup{points}.prepare(ring);
  for (const SubmodelRange kind : part.model.kinds()) {
    part.model.train(kind, part.shard, {});
    part.model.finish(kind);
  }
  for (const double mu : {1e-4, 1e-2, 1.0, 100.0}) {
    for (float& z : part.shard.Z.reshaped()) z = static_cast<float>(2 * random.normal());
    const CoordinateReport report = part.coordinates.update(part.model, part.shard, mu);
    CHECK(report.objective < report.before);
  }
}

TEST_CASE("A curve is followed by one dimension where a principal component cannot") {
  // Three quarters of a circle: a line leaves about a third of its variance unexplained.
  RandomStream random(3);
  Eigen::MatrixXf X(2, 300);
  for (Index n = 0; n < 300; ++n) {
    const double angle = 4.7 * random.uniform();
    X.col(n) << static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle));
  }
  SerialRing ring;
  RbfAutoencoder model(2, 1, 30, 20, {.encoder_ridge = 1e-6, .decoder_ridge = 1e-6});
  RbfShard shard(Points(X), 1);
  start(model, shard, 0, summing(ring));
  const Eigen::MatrixXf centred = X.colwise() - X.rowwise().mean();
  const Eigen::JacobiSVD<Eigen::MatrixXf> svd(centred);
  const float line = svd.singularValues()(1) * svd.singularValues()(1) / centred.squaredNorm();
  RbfCoordinates coordinates;
  const Report report = Trainer{model, coordinates, ring}.fit(
      shard, {.penalty = GeometricPenalty{1e-3, 1.2}, .max_iterations = 40});
  INFO("a line " << line << ", the autoencoder " << report.final_nested / 300);
  CHECK(report.final_nested / 300 < 0.7 * static_cast<double>(line));
}

TEST_CASE("An RBF autoencoder keeps the promises of every model") {
  RandomStream random(4);
  const RbfSetup setup{float_points(random, 5, 120)};
  check_promises(setup, {.penalty = GeometricPenalty{1e-2, 2}, .max_iterations = 3});
  check_laws(
      setup, 0.05, [] { return RbfShard(Points(Eigen::MatrixXf(5, 0)), 2); }, 1e-5);
}

TEST_CASE("What does not fit an RBF autoencoder is refused") {
  CHECK_THROWS_AS(RbfAutoencoder(3, 0, 5, 5), ConfigError);
  CHECK_THROWS_AS(RbfAutoencoder(3, 1, 0, 5), ConfigError);
  CHECK_THROWS_AS(RbfAutoencoder(3, 1, 5, 5, {.encoder_ridge = -1}), ConfigError);
  CHECK_THROWS_AS(RbfCoordinates(0), ConfigError);
  RandomStream random(5);
  SerialRing ring;
  CHECK_THROWS_AS((RbfSetup{float_points(random, 2, 50), 3}.prepare(ring)), ConfigError);
  CHECK_THROWS_AS((RbfSetup{float_points(random, 2, 5), 1}.prepare(ring)), DataError);
}
