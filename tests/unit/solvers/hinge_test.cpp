// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <limits>

#include "parmac/solvers/hinge.hpp"
#include "parmac/solvers/sgd.hpp"

using namespace parmac;

TEST_CASE("Single-point updates follow Bottou's program, for either bias rate") {
  const Eigen::MatrixXf points{{1, 0, 1, 1}, {0, 1, 1, 0}};
  const Eigen::MatrixXf labels = Eigen::Vector4f(1, -1, 1, 1);
  const double same_rate[4][3] = {{0.5, 0, 0.5},
                                  {0.4761904762, -0.4761904762, 0.0238095238},
                                  {0.9090909091, 0, 0.4783549784},
                                  {0.8695652174, 0, 0.4783549784}};
  const double slow_bias[4][3] = {{0.5, 0, 0.005},
                                  {0.4761904762, -0.4761904762, 0.0002380952},
                                  {0.9090909091, 0, 0.0047835498},
                                  {1.3043478261, 0, 0.0091313759}};
  for (const bool slow : {false, true}) {
    const HingeUpdate update{.lambda = 0.1, .bias_rate = slow ? 0.01 : 1.0};
    StepSchedule schedule{.eta0 = 0.5};
    Eigen::MatrixXf W = Eigen::MatrixXf::Zero(3, 1);
    for (Index t = 0; t < 4; ++t) {
      update.step(W, points.col(t), labels.row(t),
                  static_cast<float>(schedule.current(update.decay())));
      ++schedule.updates;
      for (Index k = 0; k < 3; ++k) {
        INFO("bias " << (slow ? "slow" : "same") << ", t = " << t << ", weight " << k);
        CHECK(W(k) == Approx((slow ? slow_bias : same_rate)[t][k]).margin(2e-7));
      }
    }
  }
}

TEST_CASE("A minibatch pulls by the mean over its points that are not yet on their side") {
  // Scores 2, 0, -1 for w = (2), b = 0: the first point is past the margin.
  const HingeUpdate update{.lambda = 0.5};
  Eigen::MatrixXf W{{2}, {0}};
  const Eigen::MatrixXf X{{1.0F, 0.0F, -0.5F}};
  const Eigen::MatrixXf Y{{1}, {-1}, {1}};
  CHECK(update.objective(W, X, Y) == Approx(0.25 * 4 + (0 + 1 + 2) / 3.0));
  update.step(W, X, Y, 0.6F);
  CHECK(W(0) == Approx(2 * (1 - 0.3) + 0.2 * (-0.5)));
  CHECK(W(1) == Approx(0.2 * (-1 + 1)).margin(1e-7));
}

TEST_CASE("A score exactly at the margin does not pull") {
  const HingeUpdate update{.lambda = 0};
  Eigen::MatrixXf W{{1}, {0}};
  update.step(W, Eigen::MatrixXf::Ones(1, 1), Eigen::MatrixXf::Ones(1, 1), 1.0F);
  CHECK(W == Eigen::MatrixXf{{1}, {0}});
}

TEST_CASE("The decision values of two opposite points approach those of the exact machine") {
  // For the points +a and -a with labels +1 and -1 the least lambda/2 |w|^2 + mean hinge is at
  // w = a / |a|^2, b = 0 whenever lambda <= |a|^2: both points lie on the margin.
  const HingeUpdate update{.lambda = 0.1};
  const Eigen::MatrixXf X{{0.6F, -0.6F}, {0.8F, -0.8F}};
  const Eigen::MatrixXf Y{{1}, {-1}};
  Eigen::MatrixXf W{{0.2F}, {-0.5F}, {0.3F}};
  StepSchedule schedule{.eta0 = 1.0};
  for (; schedule.updates < 20000; ++schedule.updates)
    update.step(W, X, Y, static_cast<float>(schedule.current(update.decay())));
  CHECK(W(0) == Approx(0.6).margin(0.01));
  CHECK(W(1) == Approx(0.8).margin(0.01));
  CHECK(W(2) == Approx(0).margin(0.01));
  CHECK(update.objective(W, X, Y) == Approx(0.05).margin(0.002));
}

TEST_CASE("An objective with a score that is not a number is not a number") {
  const HingeUpdate update;
  const Eigen::MatrixXf W{{std::numeric_limits<float>::quiet_NaN()}, {0}};
  CHECK_FALSE(
      std::isfinite(update.objective(W, Eigen::MatrixXf::Ones(1, 3), Eigen::MatrixXf::Ones(3, 1))));
}
