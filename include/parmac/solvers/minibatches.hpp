// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/random.hpp"

namespace parmac {

/// How a pass over the points is cut. A chunk is a contiguous run of points that is read while it
/// is near, so a larger one mixes better and a smaller one suits data on disk better.
struct MinibatchSettings {
  Index size = 100;   ///< points of a minibatch, at least 1
  Index chunk = 4096; ///< points of a chunk, at least 1
};

/// The points of a minibatch, and those that follow in the same chunk if there are any, for who
/// wants to fetch them ahead.
struct Minibatch : std::span<const Index> {
  std::span<const Index> next;

  /// Points first .. first + count - 1 of it, and those of the next in the same places.
  [[nodiscard]] Minibatch part(std::size_t first, std::size_t count) const {
    const std::size_t begin = std::min(first, next.size());
    return {subspan(first, count), next.subspan(begin, std::min(count, next.size() - begin))};
  }
};

/// Visits the points 0 .. N-1 once each, in minibatches: chunk after chunk in a shuffled order, in
/// each chunk the points in a shuffled order, `use(minibatch)` being called with `size` of them at
/// a time. What is left of a chunk begins the next minibatch, so only the last one of the pass may
/// be short. The order is a function of N, the settings and the stream. Memory O(chunk + size +
/// N/chunk), time O(N).
/// @throws ConfigError when a setting is below 1 or N is negative.
template <class Use>
void for_each_minibatch(Index N, const MinibatchSettings& settings, RandomStream& stream,
                        Use&& use) {
  require(settings.size >= 1, "the minibatch size is ", settings.size, "; it must be at least 1");
  require(settings.chunk >= 1, "the chunk is ", settings.chunk, " points; it must be at least 1");
  require(N >= 0, "the number of points is ", N);
  const Index size = std::min(settings.size, N);
  const Index chunk = std::min(settings.chunk, N);
  if (N == 0) return;

  std::vector<Index> chunks(static_cast<std::size_t>((N - 1) / chunk + 1));
  std::iota(chunks.begin(), chunks.end(), Index{0});
  stream.shuffle(std::span<Index>(chunks));

  std::vector<Index> waiting;
  waiting.reserve(static_cast<std::size_t>(chunk + size));
  for (const Index c : chunks) {
    const Index first = c * chunk;
    const std::size_t left_over = waiting.size();
    waiting.resize(left_over + static_cast<std::size_t>(std::min(chunk, N - first)));
    const std::span<Index> fresh = std::span<Index>(waiting).subspan(left_over);
    std::iota(fresh.begin(), fresh.end(), first);
    stream.shuffle(fresh);

    std::span<const Index> rest(waiting);
    const auto wanted = static_cast<std::size_t>(size);
    for (; rest.size() >= wanted; rest = rest.subspan(wanted)) {
      const std::span<const Index> after = rest.subspan(wanted);
      use(Minibatch{rest.first(wanted), after.first(std::min(wanted, after.size()))});
    }
    waiting.erase(waiting.begin(), waiting.end() - static_cast<std::ptrdiff_t>(rest.size()));
  }
  if (!waiting.empty()) use(Minibatch{std::span<const Index>(waiting), {}});
}

} // namespace parmac
