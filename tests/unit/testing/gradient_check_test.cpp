// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "parmac/support/error.hpp"
#include "parmac/support/random.hpp"
#include "parmac/testing/gradient_check.hpp"

using parmac::testing::gradient_check;

namespace {
// Rosenbrock's function in n dimensions, and its gradient by hand.
double rosenbrock(std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    sum += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2);
  return sum;
}
std::vector<double> rosenbrock_gradient(std::span<const double> x) {
  std::vector<double> g(x.size(), 0.0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double t = x[i + 1] - x[i] * x[i];
    g[i] += -400 * x[i] * t - 2 * (1 - x[i]);
    g[i + 1] += 200 * t;
  }
  return g;
}
} // namespace

TEST_CASE("A right gradient is confirmed at random points") {
  parmac::RandomStream random(3);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> x(1 + random.below(6));
    for (double& value : x) value = 3 * random.normal();
    CHECK(gradient_check(rosenbrock, x, rosenbrock_gradient(x)) < 1e-6);
  }
}

TEST_CASE("A wrong component is found out, wherever it is") {
  const std::vector<double> x{0.3, -1.2, 2};
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> g = rosenbrock_gradient(x);
    const double right = g[i];
    g[i] *= 1.01;
    CHECK(gradient_check(rosenbrock, x, g) == Approx(0.01 / 1.01).epsilon(1e-3));
    g[i] = -right;
    CHECK(gradient_check(rosenbrock, x, g) == Approx(2).epsilon(1e-3));
  }
}

TEST_CASE("Large arguments are stepped in proportion") {
  const std::vector<double> x{1e12};
  const auto square = [](std::span<const double> at) { return at[0] * at[0]; };
  CHECK(gradient_check(square, x, std::vector<double>{2e12}) < 1e-6);
}

TEST_CASE("What is not finite is no gradient") {
  const std::vector<double> x{0};
  const auto flat = [](std::span<const double>) { return 0.0; };
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isinf(gradient_check(flat, x, std::vector<double>{nan})));
  CHECK(std::isinf(
      gradient_check([&](std::span<const double>) { return nan; }, x, std::vector<double>{0})));
}

TEST_CASE("Gradients of another size, and steps that go nowhere, are refused") {
  const std::vector<double> x{0};
  const auto flat = [](std::span<const double>) { return 0.0; };
  CHECK_THROWS_AS(gradient_check(flat, x, std::vector<double>{0, 0}), parmac::ShapeError);
  CHECK_THROWS_AS(gradient_check(flat, x, std::vector<double>{0}, 0.0), parmac::ConfigError);
}
