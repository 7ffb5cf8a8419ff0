// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "parmac/support/random.hpp"

using parmac::philox;
using parmac::RandomStream;

TEST_CASE("Philox gives the words that its authors published") {
  // The known answers for philox4x32-10 in the authors' Random123 distribution.
  CHECK(philox({0, 0, 0, 0}, {0, 0}) ==
        std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("A stream is a function of its coordinates") {
  RandomStream one(7, 1, 2, 3, 4);
  RandomStream same(7, 1, 2, 3, 4);
  for (int i = 0; i < 100; ++i) CHECK(one.word() == same.word());
}

TEST_CASE("Streams of different coordinates differ, up to rank a million") {
  std::set<std::uint64_t> firsts;
  std::size_t streams = 0;
  for (std::uint64_t seed : {0ULL, 1ULL, 1ULL << 63})
    for (std::uint64_t iteration : {0ULL, 1ULL, 2ULL})
      for (std::uint64_t epoch : {0ULL, 1ULL})
        for (std::uint64_t rank : {0ULL, 1ULL, 127ULL, 1000000ULL}) {
          firsts.insert(RandomStream(seed, iteration, epoch, rank).word64());
          ++streams;
        }
  CHECK(firsts.size() == streams);
}

TEST_CASE("Swapped coordinates make another stream") {
  CHECK(RandomStream(1, 2, 3).word64() != RandomStream(1, 3, 2).word64());
  CHECK(RandomStream(1, 0, 5).word64() != RandomStream(1, 5, 0).word64());
}

TEST_CASE("below draws every number about as often") {
  for (const std::uint64_t n : {1ULL, 2ULL, 3ULL, 7ULL, 10ULL}) {
    RandomStream random(11, n);
    std::vector<double> count(n, 0);
    const int draws = 20000;
    for (int i = 0; i < draws; ++i) ++count[random.below(n)];
    // Chi-square with n-1 degrees of freedom: its mean is n-1, its deviation sqrt(2(n-1)).
    double chi = 0;
    const double expected = draws / static_cast<double>(n);
    for (double c : count) chi += (c - expected) * (c - expected) / expected;
    const double freedom = static_cast<double>(n - 1);
    CHECK(chi <= freedom + 5 * std::sqrt(2 * freedom) + 1e-9);
  }
}

TEST_CASE("below stays within bounds beyond 32 bits") {
  RandomStream random(3);
  const std::uint64_t n = 3ULL << 40;
  std::uint64_t largest = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t draw = random.below(n);
    REQUIRE(draw < n);
    largest = std::max(largest, draw);
  }
  CHECK(largest > n / 2);
}

TEST_CASE("A shuffle makes every order about as likely") {
  std::map<std::array<int, 3>, int> seen;
  RandomStream random(5);
  for (int i = 0; i < 6000; ++i) {
    std::array<int, 3> items{0, 1, 2};
    random.shuffle(std::span<int>(items));
    ++seen[items];
  }
  REQUIRE(seen.size() == 6);
  for (const auto& [order, times] : seen) CHECK(std::abs(times - 1000) < 150); // 5 deviations
}

TEST_CASE("uniform and normal have their moments") {
  RandomStream random(9);
  double sum = 0, squares = 0, normal = 0, normal_squares = 0;
  const int draws = 100000;
  for (int i = 0; i < draws; ++i) {
    const double u = random.uniform();
    REQUIRE((u >= 0 && u < 1));
    sum += u;
    squares += u * u;
    const double g = random.normal();
    normal += g;
    normal_squares += g * g;
  }
  CHECK(sum / draws == Approx(0.5).margin(0.005));
  CHECK(squares / draws == Approx(1.0 / 3).margin(0.005));
  CHECK(normal / draws == Approx(0).margin(0.02));
  CHECK(normal_squares / draws == Approx(1).margin(0.03));
}
