// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cmath>
#include <limits>

#include "parmac/solvers/hinge.hpp"
#include "parmac/solvers/squared_error.hpp"
#include "parmac/solvers/step_size.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;

namespace {
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
}

TEST_CASE("The lower end of the last pair is taken, doubling or halving from the first guess") {
  // One update on the points +s and -s with targets +s and -s, from w = 0: afterwards the
  // objective is s^2/2 (1 - eta s^2)^2, lowest at eta = 1 / s^2.
  const SquaredErrorUpdate update{.lambda = 0};
  const Eigen::MatrixXf W = Eigen::MatrixXf::Zero(2, 1);
  const auto found = [&](float s) {
    const Eigen::MatrixXf X{{s, -s}};
    return find_step_size(update, W, X, Eigen::MatrixXf(X.transpose()));
  };
  CHECK(found(1.0F) == 0.5);             // costs at 1 and 2: 0 and 1; at 1/2: 1/4
  CHECK(found(0.125F) == 64);            // 64 and 128: 0 and 1
  CHECK(found(8.0F) == 0.0078125);       // 1/64 and 1/128: 0 and 1/4
  CHECK(found(std::sqrt(2.0F)) == 0.25); // 1/2: 0
}

TEST_CASE("The weights that the trials start from stay as they are") {
  Eigen::MatrixXf W = Eigen::MatrixXf::Ones(3, 2);
  const Eigen::MatrixXf X = Eigen::MatrixXf::Ones(2, 10);
  const Eigen::MatrixXf Y = Eigen::MatrixXf::Ones(10, 2);
  CHECK(find_step_size(HingeUpdate{}, W, X, Y, {.minibatch = 3}) > 0);
  CHECK(W == Eigen::MatrixXf::Ones(3, 2));
}

TEST_CASE("A step size is found where larger ones diverge") {
  // Features a thousand times too large: eta must fall below about 1e-6.
  RandomStream random(1);
  Eigen::MatrixXf X(20, 300);
  for (Index i = 0; i < X.size(); ++i) X(i) = static_cast<float>(1000 * random.normal());
  const Eigen::MatrixXf Y = X.topRows(3).transpose() / 1000;
  const SquaredErrorUpdate update;
  Eigen::MatrixXf W = Eigen::MatrixXf::Zero(21, 3);
  const double eta = find_step_size(update, W, X, Y, {.minibatch = 1});
  CHECK(eta > 1e-10);
  CHECK(eta < 1e-6);
  const double before = update.objective(W, X, Y);
  for (Index i = 0; i < 300; ++i) update.step(W, X.col(i), Y.row(i), static_cast<float>(eta));
  CHECK(update.objective(W, X, Y) < before / 2);
}

TEST_CASE("Samples that say little still give a finite positive step size") {
  const HingeUpdate hinge;
  const SquaredErrorUpdate squared;
  const auto good = [](double eta) { return std::isfinite(eta) && eta > 0; };
  const Eigen::MatrixXf W = Eigen::MatrixXf::Zero(3, 1);
  CHECK(find_step_size(hinge, W, Eigen::MatrixXf(2, 0), Eigen::MatrixXf(0, 1)) == 1);
  CHECK(good(find_step_size(hinge, W, Eigen::MatrixXf::Ones(2, 1), Eigen::MatrixXf::Ones(1, 1))));
  CHECK(good(find_step_size(squared, W, Eigen::MatrixXf::Ones(2, 1), Eigen::MatrixXf::Ones(1, 1))));
  CHECK(good(find_step_size(hinge, W, Eigen::MatrixXf::Zero(2, 9), Eigen::MatrixXf::Ones(9, 1))));
  CHECK(good(find_step_size(squared, W, Eigen::MatrixXf::Zero(2, 9), Eigen::MatrixXf::Zero(9, 1))));
  CHECK(good(
      find_step_size(hinge, W, Eigen::MatrixXf::Random(2, 50), -Eigen::MatrixXf::Ones(50, 1))));
  CHECK(good(find_step_size(HingeUpdate{.lambda = 0}, W, Eigen::MatrixXf::Constant(2, 5, 1e-20F),
                            Eigen::MatrixXf::Ones(5, 1))));
  // Already at the optimum: any step size is as good.
  Eigen::MatrixXf exact = Eigen::MatrixXf::Zero(3, 1);
  exact(2) = 1;
  CHECK(good(find_step_size(squared, exact, Eigen::MatrixXf::Random(2, 50),
                            Eigen::MatrixXf::Ones(50, 1))));
}

TEST_CASE("A sample without any finite objective is reported") {
  const Eigen::MatrixXf W = Eigen::MatrixXf::Zero(2, 1);
  const Eigen::MatrixXf X = Eigen::MatrixXf::Constant(1, 4, not_a_number);
  CHECK_THROWS_AS(find_step_size(SquaredErrorUpdate{}, W, X, Eigen::MatrixXf::Ones(4, 1)),
                  NumericalError);
  CHECK_THROWS_AS(find_step_size(HingeUpdate{}, Eigen::MatrixXf::Constant(2, 1, not_a_number),
                                 Eigen::MatrixXf::Ones(1, 4), Eigen::MatrixXf::Ones(4, 1)),
                  NumericalError);
}

TEST_CASE("Step size settings out of range are refused") {
  const Eigen::MatrixXf W = Eigen::MatrixXf::Zero(2, 1);
  const Eigen::MatrixXf X = Eigen::MatrixXf::Ones(1, 4);
  const Eigen::MatrixXf Y = Eigen::MatrixXf::Ones(4, 1);
  const HingeUpdate update;
  CHECK_THROWS_AS(find_step_size(update, W, X, Y, {.minibatch = 0}), ConfigError);
  CHECK_THROWS_AS(find_step_size(update, W, X, Y, {.first = 0}), ConfigError);
  CHECK_THROWS_AS(find_step_size(update, W, X, Y, {.first = static_cast<double>(not_a_number)}),
                  ConfigError);
  CHECK_THROWS_AS(find_step_size(update, W, X, Y, {.trials = 0}), ConfigError);
  CHECK_THROWS_AS(find_step_size(update, W, X, Eigen::MatrixXf::Ones(3, 1)), ShapeError);
}
