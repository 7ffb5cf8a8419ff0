// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cstddef>
#include <limits>
#include <vector>

#include "parmac/schedule/geometric_penalty.hpp"
#include "parmac/schedule/listed_penalty.hpp"

using parmac::ConfigError;
using parmac::GeometricPenalty;
using parmac::ListedPenalty;

namespace {
const double not_a_number = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();
} // namespace

TEST_CASE("A geometric penalty is mu_0 a^i") {
  const GeometricPenalty penalty(0.5, 3);
  double expected = 0.5;
  for (int i = 0; i < 10; ++i, expected *= 3) CHECK(penalty(i) == Approx(expected));
  CHECK(GeometricPenalty(7, 1)(100) == 7);
}

TEST_CASE("A geometric penalty refuses what could not rise from a positive number") {
  for (const double first : {0.0, -1.0, not_a_number, infinity})
    CHECK_THROWS_AS(GeometricPenalty(first, 2), ConfigError);
  for (const double factor : {0.0, 0.99, -2.0, not_a_number, infinity})
    CHECK_THROWS_AS(GeometricPenalty(1, factor), ConfigError);
}

TEST_CASE("Listed penalties are taken one after another, and the last goes on") {
  const ListedPenalty penalty({0.1, 0.1, 2, 5});
  const std::vector<double> expected{0.1, 0.1, 2, 5, 5, 5};
  for (int i = 0; i < 6; ++i) CHECK(penalty(i) == expected[static_cast<std::size_t>(i)]);
  CHECK(ListedPenalty({3})(1000000) == 3);
}

TEST_CASE("A list that is empty, falls, or holds no positive number is refused") {
  CHECK_THROWS_AS(ListedPenalty({}), ConfigError);
  CHECK_THROWS_AS(ListedPenalty({1, 2, 1.9}), ConfigError);
  for (const double bad : {0.0, -1.0, not_a_number, infinity})
    CHECK_THROWS_AS(ListedPenalty({bad}), ConfigError);
  CHECK_THROWS_AS(ListedPenalty({1, not_a_number}), ConfigError);
}
