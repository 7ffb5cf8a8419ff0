// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include <algorithm>
#include <cmath>

#include "net_setup.hpp"
#include "parmac/testing/gradient_check.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

using Vectors = std::vector<Eigen::VectorXd>;

void randomise(Eigen::MatrixXf& W, RandomStream& random, double size = 1) {
  for (float& w : W.reshaped()) w = static_cast<float>(size * random.normal());
}

SigmoidNet random_net(const std::vector<Index>& widths, const NetSettings& settings,
                      RandomStream& random) {
  SigmoidNet net(widths, settings);
  for (std::size_t k = 0; k + 1 < widths.size(); ++k) randomise(net.weights(k), random, 0.7);
  return net;
}

Eigen::VectorXd normals(Index n, RandomStream& random) {
  Eigen::VectorXd v(n);
  for (double& x : v) x = random.normal();
  return v;
}

std::vector<Index> random_widths(RandomStream& random) {
  std::vector<Index> widths{static_cast<Index>(1 + random.below(4))};
  for (std::uint64_t k = 0; k <= random.below(3); ++k)
    widths.push_back(static_cast<Index>(1 + random.below(5)));
  widths.push_back(static_cast<Index>(1 + random.below(4)));
  return widths;
}

NetSettings random_settings(RandomStream& random) {
  constexpr Activation kinds[] = {Activation::sigmoid, Activation::tanh, Activation::linear};
  return {.hidden = kinds[random.below(3)],
          .output = random.below(2) == 0 ? NetOutput::linear : NetOutput::softmax};
}

// A point's problem with everything random, and the z that it is looked at.
struct RandomProblem {
  SigmoidNet net;
  NetPointProblem problem;
  Vectors z;

  explicit RandomProblem(RandomStream& random)
      : net(random_net(random_widths(random), random_settings(random), random)), problem(net) {
    Eigen::VectorXd y = normals(net.outputs(), random);
    if (net.settings().output == NetOutput::softmax) {
      y.setZero();
      y(static_cast<Index>(random.below(static_cast<std::uint64_t>(y.size())))) = 1;
    }
    Vectors u;
    for (std::size_t k = 0; k < net.hidden_layers(); ++k) {
      z.push_back(normals(net.weights(k).cols(), random));
      u.push_back(0.1 * normals(net.weights(k).cols(), random));
    }
    if (random.below(2) == 0) u.clear();
    problem.take(normals(net.features(), random), y, u, std::pow(10.0, 4 * random.uniform() - 2));
  }
  RandomProblem(const RandomProblem&) = delete;

  [[nodiscard]] std::vector<double> flat(const Vectors& parts) const {
    std::vector<double> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  [[nodiscard]] Vectors parts(std::span<const double> all) const {
    Vectors parts = z;
    std::size_t at = 0;
    for (auto& part : parts)
      for (double& x : part) x = all[at++];
    return parts;
  }
};

} // namespace

TEST_CASE("Gauss-Newton on one hidden layer meets the values worked out by hand") {
  // A = [[1, -1], [0.5, 2]], y = (0.7, 0.2), f_1 = (0.3, 0.6), mu = 1, a linear output: the closed
  // form (A'A + mu I)^-1 (A'y + mu f_1), which one step reaches.
  SigmoidNet net({2, 2, 2}, {.hidden = Activation::linear});
  net.weights(0) << 1, 0, 0, 1, 0, 0; // f_1 = x
  net.weights(1) << 1, 0.5, -1, 2, 0, 0;
  NetPointProblem problem(net);
  problem.take(Eigen::Vector2d(0.3, 0.6), Eigen::Vector2d(0.7, 0.2), {}, 1);
  Vectors z{Eigen::Vector2d(0.3, 0.6)};
  problem.improve(z, 20);
  CHECK(z[0](0) == Approx(0.4888888889).epsilon(1e-6));
  CHECK(z[0](1) == Approx(0.05).epsilon(1e-6));
}

TEST_CASE("The gradient of a point's problem is that of finite differences") {
  RandomStream random(1);
  for (int trial = 0; trial < 100; ++trial) {
    RandomProblem one(random);
    const auto f = [&](std::span<const double> x) { return one.problem.objective(one.parts(x)); };
    const std::vector<double> x = one.flat(one.z);
    const std::vector<double> g = one.flat(one.problem.gradient(one.z));
    CHECK(testing::gradient_check(f, x, g) < 1e-6);
  }
}

TEST_CASE("Gauss-Newton ends where a long gradient descent ends, or lower") {
  RandomStream random(2);
  for (int trial = 0; trial < 60; ++trial) {
    RandomProblem one(random);
    Vectors z = one.z;
    const double start = one.problem.objective(z);
    const double found = one.problem.improve(z, 200);
    CHECK(found <= start);
    CHECK(found == Approx(one.problem.objective(z)));
    // A stationary point; with convex problems (linear layers) it is the minimiser.
    double slope = 0;
    for (const auto& part : one.problem.gradient(z)) slope += part.squaredNorm();
    CHECK(std::sqrt(slope) < 1e-3 * (1 + found));
    // And a descent that begins there gains nothing more.
    Vectors other = z;
    double rate = 1e-3;
    for (int step = 0; step < 300; ++step) {
      const Vectors g = one.problem.gradient(other);
      Vectors trial_z = other;
      for (std::size_t k = 0; k < g.size(); ++k) trial_z[k] -= rate * g[k];
      if (one.problem.objective(trial_z) < one.problem.objective(other))
        other = trial_z;
      else
        rate /= 2;
    }
    CHECK(one.problem.objective(other) >= found - 1e-4 * (1 + found));
  }
}

TEST_CASE("Units and softmax descend along the gradient of their objective") {
  RandomStream random(3);
  const auto check = [&](const auto& update, Index m, const Eigen::MatrixXf& Y) {
    Eigen::MatrixXf W(4, m), X(3, Y.rows());
    randomise(W, random);
    randomise(X, random);
    // A small step moves the weights by minus the gradient; decay excepts the bias in both.
    const float eta = 1e-2F;
    Eigen::MatrixXf moved = W;
    update.step(moved, X, Y, eta);
    const Eigen::MatrixXd gradient = ((W - moved) / eta).template cast<double>();
    for (Index i = 0; i < W.size(); ++i) {
      Eigen::MatrixXf up = W, down = W;
      up.data()[i] += 1e-2F;
      down.data()[i] -= 1e-2F;
      const double slope = (update.objective(up, X, Y) - update.objective(down, X, Y)) /
                           static_cast<double>(up.data()[i] - down.data()[i]);
      CHECK(gradient.data()[i] == Approx(slope).margin(3e-3));
    }
  };
  for (const Activation activation : {Activation::linear, Activation::sigmoid, Activation::tanh}) {
    Eigen::MatrixXf Y(6, 2);
    randomise(Y, random);
    check(ActivationUpdate{activation, 0.01}, 2, Y);
  }
  Eigen::MatrixXf Y = Eigen::MatrixXf::Zero(6, 3);
  for (Index i = 0; i < 6; ++i) Y(i, static_cast<Index>(random.below(3))) = 1;
  check(SoftmaxUpdate{0.01}, 3, Y);
}

TEST_CASE("Backpropagation gives the gradient of finite differences") {
  RandomStream random(4);
  for (const NetOutput output : {NetOutput::linear, NetOutput::softmax}) {
    SigmoidNet net =
        random_net({3, 4, 2, 3}, {.hidden = Activation::tanh, .output = output}, random);
    Eigen::MatrixXf X(3, 5), Y = Eigen::MatrixXf::Zero(3, 5);
    randomise(X, random);
    std::vector<std::uint8_t> labels;
    for (Index j = 0; j < 5; ++j) {
      labels.push_back(static_cast<std::uint8_t>(random.below(3)));
      Y(labels.back(), j) = 1;
    }
    const NetShard shard =
        output == NetOutput::softmax ? NetShard(Points(X), labels) : NetShard(Points(X), Points(Y));
    const std::vector<Eigen::MatrixXf> g = backpropagate(net, X, Y);
    for (std::size_t k = 0; k < 3; ++k)
      for (Index i = 0; i < net.weights(k).size(); ++i) {
        float& w = net.weights(k).data()[i];
        const float old = w;
        w = old + 1e-2F;
        const double up = measure(net, shard).loss;
        w = old - 1e-2F;
        const double down = measure(net, shard).loss;
        w = old;
        CHECK(static_cast<double>(g[k].data()[i]) == Approx((up - down) / 2e-2).margin(2e-3));
      }
  }
}

TEST_CASE("Least squares is exact for a linear layer, and lowers the error of others") {
  RandomStream random(5);
  for (const Activation hidden : {Activation::linear, Activation::sigmoid, Activation::tanh}) {
    Eigen::MatrixXf X(4, 80);
    randomise(X, random);
    SigmoidNet net = random_net({4, 3, 4}, {.hidden = hidden, .lambda = 0}, random);
    NetShard shard{Points(X)};
    propagate(net, shard);
    for (float& z : shard.Z[0].reshaped()) z += static_cast<float>(0.1 * random.normal());
    const auto error = [&] {
      Eigen::MatrixXf F;
      net.layer(0, X, F);
      return static_cast<double>((F - shard.Z[0]).squaredNorm());
    };
    const double before = error();
    net.train({0, 3}, shard, {});
    net.finish({0, 3});
    CHECK(error() < before);
    if (hidden != Activation::linear) continue;
    Eigen::MatrixXf lifted(5, 80);
    lifted << X, Eigen::RowVectorXf::Ones(80);
    Eigen::MatrixXf F;
    net.layer(0, X, F);
    CHECK((lifted * (F - shard.Z[0]).transpose()).cwiseAbs().maxCoeff() <
          1e-3F); // normal equations
  }
}

TEST_CASE("Nets keep the promises of every model") {
  RandomStream random(6);
  const auto empty = [] { return Points(Eigen::MatrixXf(4, 0)); };
  const FitSettings fit{.penalty = GeometricPenalty{1, 2}, .max_iterations = 3, .epochs = 2};
  NetSetup setup{float_points(random, 4, 90), {}, {5, 3}, {.scale = 0.3F}, {}};
  const auto empty_shard = [&](auto shard) {
    for (const Index width : setup.hidden) shard.Z.push_back(Eigen::MatrixXf(width, 0));
    return shard;
  };
  check_promises(setup, fit);
  check_laws(
      setup, 2, [&] { return empty_shard(NetShard(empty())); }, 1e-5);
  setup.z.method = NetMethod::gradient;
  setup.settings.fit = NetFit::sgd;
  check_promises(setup, fit);
  check_laws(
      setup, 2, [&] { return empty_shard(NetShard(empty())); }, 1e-5);
  setup.labels = three_classes(random, 90);
  setup.settings = {.hidden = Activation::rectifier, .output = NetOutput::softmax};
  check_promises(setup, fit);
  check_laws(
      setup, 2, [&] { return empty_shard(NetShard(empty(), std::vector<std::uint8_t>())); }, 1e-5);
  setup.z = {.augmented = true};
  check_promises(setup, fit);
}

TEST_CASE("Threads change no bit of the coordinates") {
  RandomStream random(7);
  for (const NetMethod method : {NetMethod::gauss_newton, NetMethod::gradient}) {
    NetSetup setup{float_points(random, 3, 700), {}, {4}, {}, {.method = method}};
    SerialRing ring;
    const FitSettings fit{.penalty = GeometricPenalty{1, 2}, .max_iterations = 2};
    const Trained one = train_over(ring, setup, fit);
    setup.z.threads = 4;
    const Trained four = train_over(ring, setup, fit);
    CHECK(one.model == four.model);
    CHECK(one.coordinates == four.coordinates);
  }
}

TEST_CASE("The augmented Lagrangian closes the constraints further at the same penalty") {
  RandomStream random(8);
  const Points points = float_points(random, 6, 200);
  const auto violation = [&](bool augmented) {
    const NetSetup setup{points, {}, {4}, {}, {.steps = 20, .augmented = augmented}};
    SerialRing ring;
    return train_over(ring, setup,
                      {.penalty = GeometricPenalty{2, 1}, .max_iterations = 30, .final_fit = false})
        .report.iterations.back()
        .violation;
  };
  CHECK(violation(true) < 0.5 * violation(false));
}

TEST_CASE("What does not fit a net is refused") {
  using Widths = std::vector<Index>;
  CHECK_THROWS_AS(SigmoidNet(Widths{3, 2}), ConfigError);
  CHECK_THROWS_AS(SigmoidNet(Widths{3, 0, 2}), ConfigError);
  CHECK_THROWS_AS(SigmoidNet(Widths{3, 2, 257}, {.output = NetOutput::softmax}), ConfigError);
  CHECK_THROWS_AS(SigmoidNet(Widths{3, 2, 2}, {.scale = 0}), ConfigError);
  CHECK_THROWS_AS(NetCoordinates({.steps = 0}), ConfigError);
  CHECK_THROWS_AS(FineTuneSettings{.momentum = 1}.validate(), ConfigError);
  const Points points(Eigen::MatrixXf(Eigen::MatrixXf::Zero(3, 2)));
  CHECK_THROWS_AS(NetShard(points, std::vector<std::uint8_t>{1}), ShapeError);
  SigmoidNet classifier({3, 2, 2}, {.output = NetOutput::softmax});
  NetShard wrong(points, std::vector<std::uint8_t>{0, 2});
  propagate(classifier, wrong);
  CHECK_THROWS_AS(measure(classifier, wrong), DataError);
  NetShard without(points);
  CHECK_THROWS_AS(propagate(classifier, without), ShapeError);
}
