// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "parmac/data/partition.hpp"
#include "parmac/support/random.hpp"

using parmac::ConfigError;
using parmac::even_share;
using parmac::Index;
using parmac::RandomStream;
using parmac::Share;
using parmac::weighted_share;

namespace {
std::vector<Index> counts(Index N, const std::vector<double>& weights) {
  std::vector<Index> all;
  for (std::size_t p = 0; p < weights.size(); ++p)
    all.push_back(weighted_share(N, weights, static_cast<Index>(p)).count);
  return all;
}
} // namespace

TEST_CASE("Shares follow the speeds of the machines as in the paper's load balancing") {
  CHECK(counts(1000, {4, 1, 1, 2}) == std::vector<Index>{500, 125, 125, 250});
  CHECK(counts(800, {2.5, 1, 0.5}) == std::vector<Index>{500, 200, 100});
}

TEST_CASE("Even shares are contiguous, cover all points, and differ by at most one") {
  RandomStream random(1);
  for (int round = 0; round < 500; ++round) {
    const auto N = static_cast<Index>(random.below(200));
    const auto parts = static_cast<Index>(1 + random.below(40));
    Index next = 0;
    for (Index part = 0; part < parts; ++part) {
      const Share share = even_share(N, parts, part);
      CHECK(share.first == next);
      CHECK((share.count == N / parts || share.count == N / parts + 1));
      next += share.count;
    }
    CHECK(next == N);
  }
}

TEST_CASE("Even shares of as many points as can be counted do not overflow") {
  constexpr Index N = std::numeric_limits<Index>::max();
  const Share last = even_share(N, 1000003, 1000002);
  CHECK(last.first + last.count == N);
}

TEST_CASE(
    "Weighted shares are contiguous, cover all points, and are within one of the exact share") {
  RandomStream random(2);
  for (int round = 0; round < 500; ++round) {
    const auto N = static_cast<Index>(random.below(1000));
    std::vector<double> weights(1 + random.below(20));
    double total = 0;
    for (double& w : weights) {
      w = random.below(4) == 0 ? 0 : std::exp(3 * random.normal());
      total += w;
    }
    if (total == 0) total = weights[0] = 1;
    Index next = 0;
    for (std::size_t p = 0; p < weights.size(); ++p) {
      const Share share = weighted_share(N, weights, static_cast<Index>(p));
      CHECK(share.first == next);
      CHECK(std::abs(static_cast<double>(share.count) -
                     static_cast<double>(N) * weights[p] / total) <= 1 + 1e-9);
      if (weights[p] == 0) CHECK(share.count == 0);
      next += share.count;
    }
    CHECK(next == N);
  }
}

TEST_CASE("Weighted shares cover as many points as can be counted") {
  constexpr Index N = std::numeric_limits<Index>::max();
  const std::vector<double> weights{0.1, 0.2, 0.7, 0};
  Index next = 0;
  for (Index part = 0; part < 4; ++part) {
    const Share share = weighted_share(N, weights, part);
    CHECK(share.first == next);
    CHECK(share.count >= 0);
    next += share.count;
  }
  CHECK(next == N);
}

TEST_CASE("Parts that cannot be are refused") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(even_share(10, 0, 0), ConfigError);
  CHECK_THROWS_AS(even_share(10, 3, 3), ConfigError);
  CHECK_THROWS_AS(even_share(10, 3, -1), ConfigError);
  CHECK_THROWS_AS(even_share(-1, 3, 0), ConfigError);
  CHECK_THROWS_AS(counts(10, {1, -1}), ConfigError);
  CHECK_THROWS_AS(counts(10, {0, 0}), ConfigError);
  CHECK_THROWS_AS(counts(10, {1, infinity}), ConfigError);
  CHECK_THROWS_AS(counts(10, {1, std::numeric_limits<double>::quiet_NaN()}), ConfigError);
  CHECK_THROWS_AS(counts(10, {1e308, 1e308}), ConfigError);
  CHECK_THROWS_AS(weighted_share(10, {}, 0), ConfigError);
  CHECK_THROWS_AS(weighted_share(10, std::vector<double>{1, 1}, 2), ConfigError);
}
