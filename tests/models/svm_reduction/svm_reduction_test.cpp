// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parmac/data/csv.hpp"
#include "reduction_setup.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("With two classes the coordinates have a closed form, and its values are met") {
  // F(x) = (0.2, -0.4), w = (1, 2), b = 0.5, y = 1, mu = 2: worked out by hand.
  const Eigen::Vector2d f(0.2, -0.4);
  const Eigen::VectorXd y = Eigen::VectorXd::Ones(1);
  const Eigen::Vector2d w(1, 2);
  const Eigen::VectorXd b = Eigen::VectorXd::Constant(1, 0.5);
  const HingeProblem inner(w, b, 1);
  const Eigen::VectorXd z = inner.solve(f, y, 2);
  CHECK(z(0) == Approx(0.42));
  CHECK(z(1) == Approx(0.04));
  CHECK(w.dot(z) + 0.5 == Approx(1)); // the margin is met
  CHECK(inner.objective(z, f, y, 2) == Approx(0.242));
  const HingeProblem bounded(w, b, 0.2);
  const Eigen::VectorXd less = bounded.solve(f, y, 2);
  CHECK(less(0) == Approx(0.3));
  CHECK(less(1) == Approx(-0.2));
  CHECK(bounded.objective(less, f, y, 2) == Approx(0.17));
  // A point beyond its margin stays.
  CHECK(inner.solve(Eigen::Vector2d(2, 2), y, 2) == Eigen::Vector2d(2, 2));
}

TEST_CASE("With several classes no direction leads down from the answer") {
  // The objective is convex, so a point from which random and coordinate moves of every size fail
  // to lower it is its minimiser to that size.
  RandomStream random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const auto L = static_cast<Index>(1 + random.below(4));
    const auto K = static_cast<Index>(1 + random.below(6));
    const auto normals = [&](Index rows, Index columns) {
      Eigen::MatrixXd M(rows, columns);
      for (double& m : M.reshaped()) m = random.normal();
      return M;
    };
    Eigen::MatrixXd W = normals(L, K);
    if (random.below(5) == 0) W.col(0).setZero(); // an SVM that has learnt nothing
    const HingeProblem problem(W, normals(K, 1), 0.1 + 3 * random.uniform());
    const Eigen::VectorXd f = normals(L, 1);
    const double mu = std::pow(10.0, 4 * random.uniform() - 2);
    Eigen::VectorXd y(K);
    for (double& one : y) one = random.below(2) == 0 ? -1 : 1;
    const Eigen::VectorXd z = problem.solve(f, y, mu);
    const double found = problem.objective(z, f, y, mu);
    REQUIRE(found <= problem.objective(f, f, y, mu) + 1e-12);
    for (int move = 0; move < 200; ++move) {
      const Eigen::VectorXd other = z + std::pow(10.0, 5 * random.uniform() - 5) * normals(L, 1);
      REQUIRE(problem.objective(other, f, y, mu) >= found - 1e-9 * (1 + found));
    }
  }
}

TEST_CASE("Radial basis functions are what their formula says, a point alone or among others") {
  RandomStream random(2);
  const Index D = 5, F = 7, B = 9;
  Eigen::MatrixXf C(D, F), U(D, B), X, one;
  for (float& c : C.reshaped()) c = static_cast<float>(random.normal());
  for (float& u : U.reshaped()) u = static_cast<float>(random.normal());
  const FeatureMap phi = rbf_features(C, 1.7);
  CHECK(phi.inputs == D);
  CHECK(phi.outputs == F);
  phi.map(U, X);
  for (Index j = 0; j < B; ++j)
    for (Index f = 0; f < F; ++f)
      CHECK(
          X(f, j) ==
          Approx(std::exp(-(U.col(j) - C.col(f)).squaredNorm() / (2 * 1.7F * 1.7F))).epsilon(1e-4));
  phi.map(U.col(4), one);
  CHECK(one == X.col(4));
  CHECK_THROWS_AS(rbf_features(C, 0), ConfigError);
  CHECK_THROWS_AS(rbf_features(Eigen::MatrixXf(D, 0), 1), ConfigError);
}

TEST_CASE("Centres by k-means are the same for any number of machines, and lower the distances") {
  RandomStream random(3);
  const ClassedPoints data(3, 200, 4, random, 0.1);
  SerialRing alone;
  const Eigen::MatrixXf centres = k_means(data.X, 0, 4, summing(alone), 5);
  const auto error = [&](const Eigen::MatrixXf& C) {
    double sum = 0;
    for (Index n = 0; n < data.X.cols(); ++n)
      sum += static_cast<double>((C.colwise() - data.X.col(n)).colwise().squaredNorm().minCoeff());
    return sum;
  };
  CHECK(error(centres) <= error(k_means(data.X, 0, 4, summing(alone), 5, 0)) + 1e-9);
  run_threads(3, [&](ThreadRing& ring) {
    const Share share = even_share(200, 3, ring.rank());
    const Eigen::MatrixXf theirs =
        k_means(data.X.middleCols(share.first, share.count), share.first, 4, summing(ring), 5);
    expect((theirs - centres).cwiseAbs().maxCoeff() < 1e-5F, "other centres");
  });
  CHECK_THROWS_AS(k_means(data.X, 0, 201, summing(alone)), DataError);
  CHECK_THROWS_AS(k_means(data.X, 0, 0, summing(alone)), ConfigError);
}

TEST_CASE("The mapping is the ridge regression of the coordinates") {
  RandomStream random(4);
  const ReductionSetup setup{ClassedPoints(4, 60, 3, random)};
  SerialRing ring;
  auto part = setup.prepare(ring);
  part.model.train({0, 2}, part.shard, {});
  part.model.finish({0, 2});
  // The gradient of mean |z - A phi - c|^2 + ridge |A|^2 vanishes.
  const Eigen::MatrixXf centres = k_means(setup.data.X, 0, 8, summing(ring));
  Eigen::MatrixXf phi;
  rbf_features(centres, mean_distance(centres)).map(setup.data.X, phi);
  const Eigen::MatrixXd A = part.model.mapping().topRows(8).cast<double>();
  const Eigen::MatrixXd rest =
      part.shard.Z.cast<double>() - ((A.transpose() * phi.cast<double>()).colwise() +
                                     part.model.mapping().row(8).transpose().cast<double>());
  const Eigen::MatrixXd slope =
      phi.cast<double>() * rest.transpose() / 60 - part.model.settings().ridge * A;
  CHECK(slope.cwiseAbs().maxCoeff() < 1e-4);
  CHECK(rest.rowwise().mean().cwiseAbs().maxCoeff() < 1e-4);
}

TEST_CASE("Dimension reduction keeps the promises of every model") {
  RandomStream random(5);
  const ReductionSetup setup{ClassedPoints(5, 150, 3, random)};
  check_promises(setup, {.penalty = GeometricPenalty{0.5, 2}, .max_iterations = 3, .epochs = 2});
  check_laws(
      setup, 0.7, [] { return ReductionShard(Points(Eigen::MatrixXf(5, 0)), {}, 2); }, 1e-5);
  const ReductionSetup two{ClassedPoints(4, 90, 2, random), 1, 2};
  check_promises(two, {.penalty = GeometricPenalty{0.5, 2}, .max_iterations = 2});
}

TEST_CASE("Trained jointly, one dimension tells wines apart better than a principal component") {
  const LabelledTable table = with_labels(read_csv(PARMAC_EXAMPLE_DATA "/wine.csv"));
  Eigen::MatrixXf X = table.X.colwise() - table.X.rowwise().mean();
  for (Index d = 0; d < X.rows(); ++d)
    X.row(d) /= std::sqrt(X.row(d).squaredNorm() / static_cast<float>(X.cols()));
  SerialRing ring;
  const auto right = [&](double mu) {
    SvmReduction model(all_features(X.rows()), 2, 3);
    ReductionShard shard(Points(X), table.labels, 2);
    start(model, shard, summing(ring));
    ReductionCoordinates coordinates;
    Trainer{model, coordinates, ring}.fit(
        shard, {.penalty = GeometricPenalty{mu, 1.3}, .max_iterations = 20, .epochs = 10});
    const auto said = model.classify(model.reduce(X));
    double count = 0;
    for (std::size_t n = 0; n < said.size(); ++n) count += said[n] == table.labels[n] ? 1 : 0;
    return count / static_cast<double>(said.size());
  };
  const double joint = right(0.3);
  const double components = right(1e9); // the coordinates stay where they are
  INFO("jointly " << joint << ", principal components " << components);
  CHECK(joint > components);
  CHECK(joint > 0.95);
}

TEST_CASE("What does not fit is refused") {
  CHECK_THROWS_AS(SvmReduction(all_features(3), 0, 2), ConfigError);
  CHECK_THROWS_AS(SvmReduction(all_features(3), 1, 1), ConfigError);
  CHECK_THROWS_AS(SvmReduction(all_features(3), 1, 2, {.C = 0}), ConfigError);
  CHECK_THROWS_AS(ReductionShard(Points(Eigen::MatrixXf(2, 3)), {0, 1}, 1), ShapeError);
  SvmReduction model(all_features(2), 1, 2);
  ReductionShard wrong(Points(Eigen::MatrixXf(Eigen::MatrixXf::Zero(2, 2))), {0, 2}, 1);
  CHECK_THROWS_AS(model.train({0, 1}, wrong, {}), DataError);
  SerialRing ring;
  SvmReduction wide(all_features(2), 3, 2);
  ReductionShard shard(Points(Eigen::MatrixXf(Eigen::MatrixXf::Zero(2, 2))), {0, 1}, 3);
  CHECK_THROWS_AS(start(wide, shard, summing(ring)), ConfigError);
}
