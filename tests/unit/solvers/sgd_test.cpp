// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <limits>
#include <vector>

#include "parmac/solvers/hinge.hpp"
#include "parmac/solvers/sgd.hpp"
#include "parmac/solvers/squared_error.hpp"

using namespace parmac;

TEST_CASE("Step sizes fall with the updates done") {
  StepSchedule schedule{.eta0 = 0.5};
  const double expected[] = {0.5, 0.4761904762, 0.4545454545, 0.4347826087};
  for (; schedule.updates < 4; ++schedule.updates)
    CHECK(schedule.current(0.1) == Approx(expected[schedule.updates]));
  CHECK(schedule.current(0) == 0.5);
}

TEST_CASE("A pass makes the updates of its minibatches, one after the other") {
  const Index D = 3, N = 23, m = 2;
  RandomStream random(1);
  Eigen::MatrixXf X(D, N), Y(N, m);
  for (Index i = 0; i < X.size(); ++i) X(i) = static_cast<float>(random.normal());
  for (Index i = 0; i < Y.size(); ++i) Y(i) = random.below(2) == 0 ? -1.0F : 1.0F;
  const HingeUpdate update{.lambda = 0.1};
  const MinibatchSettings settings{.size = 5, .chunk = 8};
  Eigen::MatrixXf W = Eigen::MatrixXf::Zero(D + 1, m);
  RandomStream stream(2);
  std::vector<Index> order;

  const StepSchedule after = train_pass(
      update, W, {.eta0 = 0.5, .updates = 100}, N, settings, stream,
      [&](std::span<const Index> points, Eigen::MatrixXf& block, Eigen::MatrixXf& targets) {
        REQUIRE(block.cols() == static_cast<Index>(points.size()));
        REQUIRE(targets.rows() == static_cast<Index>(points.size()));
        for (std::size_t j = 0; j < points.size(); ++j) {
          order.push_back(points[j]);
          block.col(static_cast<Index>(j)) = X.col(points[j]);
          targets.row(static_cast<Index>(j)) = Y.row(points[j]);
        }
      });

  CHECK(after.updates == 105);
  CHECK(after.eta0 == 0.5);
  REQUIRE(order.size() == 23);
  Eigen::MatrixXf expected = Eigen::MatrixXf::Zero(D + 1, m);
  for (std::size_t first = 0, t = 100; first < order.size(); first += 5, ++t) {
    const std::size_t B = std::min<std::size_t>(5, order.size() - first);
    Eigen::MatrixXf block(D, B), targets(B, m);
    for (std::size_t j = 0; j < B; ++j) {
      block.col(static_cast<Index>(j)) = X.col(order[first + j]);
      targets.row(static_cast<Index>(j)) = Y.row(order[first + j]);
    }
    update.step(expected, block, targets,
                static_cast<float>(0.5 / (1 + 0.1 * 0.5 * static_cast<double>(t))));
  }
  CHECK(W == expected);
}

TEST_CASE("Passes of regression approach the truth of noiseless data") {
  RandomStream random(3);
  const Index N = 500;
  Eigen::MatrixXf X(2, N);
  for (Index i = 0; i < X.size(); ++i) X(i) = static_cast<float>(random.normal());
  const SquaredErrorUpdate update{.lambda = 0};
  Eigen::MatrixXf W = Eigen::MatrixXf::Zero(3, 1);
  StepSchedule schedule{.eta0 = 0.1};
  for (int pass = 0; pass < 10; ++pass)
    schedule = train_pass(
        update, W, schedule, N, {.size = 10}, random,
        [&](std::span<const Index> points, Eigen::MatrixXf& block, Eigen::MatrixXf& targets) {
          for (Index j = 0; j < block.cols(); ++j) {
            block.col(j) = X.col(points[static_cast<std::size_t>(j)]);
            targets(j, 0) = 2 * block(0, j) - 3 * block(1, j) + 0.5F;
          }
        });
  CHECK(schedule.updates == 500);
  CHECK(W(0) == Approx(2).margin(1e-3));
  CHECK(W(1) == Approx(-3).margin(1e-3));
  CHECK(W(2) == Approx(0.5).margin(1e-3));
}

TEST_CASE("A pass without points changes nothing") {
  Eigen::MatrixXf W = Eigen::MatrixXf::Ones(3, 2);
  RandomStream stream(1);
  const auto never = [](std::span<const Index>, Eigen::MatrixXf&, Eigen::MatrixXf&) { FAIL(); };
  CHECK(train_pass(HingeUpdate{}, W, {}, 0, {}, stream, never).updates == 0);
  CHECK(W == Eigen::MatrixXf::Ones(3, 2));
}

TEST_CASE("Weights that leave the finite numbers are reported") {
  Eigen::MatrixXf W = Eigen::MatrixXf::Ones(2, 1);
  RandomStream stream(1);
  const auto fill = [](std::span<const Index>, Eigen::MatrixXf& X, Eigen::MatrixXf& Y) {
    X.setConstant(1e3F);
    Y.setZero();
  };
  CHECK_THROWS_AS(
      train_pass(SquaredErrorUpdate{}, W, {.eta0 = 10.0}, 100, {.size = 1}, stream, fill),
      NumericalError);
  for (const double eta0 :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(train_pass(HingeUpdate{}, W, {.eta0 = eta0}, 1, {}, stream, fill), ConfigError);
}
