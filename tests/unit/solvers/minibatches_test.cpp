// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <limits>
#include <set>
#include <vector>

#include "parmac/solvers/minibatches.hpp"

using namespace parmac;

namespace {

std::vector<std::vector<Index>> pass(Index N, const MinibatchSettings& settings,
                                     RandomStream stream) {
  std::vector<std::vector<Index>> batches;
  for_each_minibatch(N, settings, stream, [&](std::span<const Index> points) {
    batches.emplace_back(points.begin(), points.end());
  });
  return batches;
}

} // namespace

TEST_CASE("A pass visits every point once, in minibatches that are full but for the last") {
  RandomStream random(1);
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto N = static_cast<Index>(random.below(200));
    const MinibatchSettings settings{.size = 1 + static_cast<Index>(random.below(40)),
                                     .chunk = 1 + static_cast<Index>(random.below(60))};
    const auto batches = pass(N, settings, RandomStream(i));
    INFO("N = " << N << ", size " << settings.size << ", chunk " << settings.chunk);

    std::vector<int> visits(static_cast<std::size_t>(N), 0);
    for (std::size_t b = 0; b < batches.size(); ++b) {
      if (b + 1 < batches.size())
        CHECK(static_cast<Index>(batches[b].size()) == settings.size);
      else
        CHECK((!batches[b].empty() && static_cast<Index>(batches[b].size()) <= settings.size));
      for (const Index point : batches[b]) ++visits.at(static_cast<std::size_t>(point));
    }
    CHECK(visits == std::vector<int>(static_cast<std::size_t>(N), 1));
  }
}

TEST_CASE("The points of a chunk are visited together") {
  const auto batches = pass(1000, {.size = 7, .chunk = 100}, RandomStream(2));
  std::vector<Index> order;
  for (const auto& batch : batches) order.insert(order.end(), batch.begin(), batch.end());
  std::set<Index> chunks;
  for (std::size_t i = 0; i < order.size(); ++i) {
    CHECK(order[i] / 100 == order[i / 100 * 100] / 100);
    if (i % 100 == 0) chunks.insert(order[i] / 100);
  }
  CHECK(chunks.size() == 10);
}

TEST_CASE("The order is the stream's, and other streams give other orders") {
  const MinibatchSettings settings{.size = 10, .chunk = 50};
  CHECK(pass(500, settings, RandomStream(3, 1)) == pass(500, settings, RandomStream(3, 1)));
  CHECK(pass(500, settings, RandomStream(3, 1)) != pass(500, settings, RandomStream(3, 2)));
}

TEST_CASE("Every point is about as likely to come first") {
  std::vector<int> first(12, 0);
  for (std::uint64_t seed = 0; seed < 6000; ++seed)
    ++first[static_cast<std::size_t>(pass(12, {.size = 5, .chunk = 4}, RandomStream(seed))[0][0])];
  for (const int times : first) CHECK(std::abs(times - 500) < 110); // 5 deviations
}

TEST_CASE("Settings far beyond the number of points cost no memory") {
  const Index most = std::numeric_limits<Index>::max();
  const auto batches = pass(5, {.size = most, .chunk = most}, RandomStream(4));
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].size() == 5);
  CHECK(pass(0, {}, RandomStream(4)).empty());
}

TEST_CASE("Minibatch settings out of range are refused") {
  CHECK_THROWS_AS(pass(5, {.size = 0}, RandomStream(1)), ConfigError);
  CHECK_THROWS_AS(pass(5, {.size = 1, .chunk = 0}, RandomStream(1)), ConfigError);
  CHECK_THROWS_AS(pass(-1, {}, RandomStream(1)), ConfigError);
}
