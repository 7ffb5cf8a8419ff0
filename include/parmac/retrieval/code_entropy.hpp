// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "parmac/retrieval/packed_codes.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// The entropy, in bits, of drawing one of n = sum of `counts` items that lie in buckets of these
/// sizes: log2 n - (1/n) sum c log2 c. 0 when there are no items.
/// @throws ConfigError when a count is negative.
[[nodiscard]] inline double entropy_bits(std::span<const Index> counts) {
  double total = 0;
  double sum = 0;
  for (const Index count : counts) {
    require(count >= 0, "a bucket holds ", count, " items; a count must not be negative");
    const auto c = static_cast<double>(count);
    total += c;
    if (count > 0) sum += c * std::log2(c);
  }
  // Rounding must not make the entropy of a single bucket negative.
  return total > 0 ? std::max(0.0, std::log2(total) - sum / total) : 0.0;
}

/// The effective number of bits L_eff of the codes: the entropy of their distribution over the 2^L
/// possible codes, 0 <= L_eff <= min(L, log2 N). How well a hash function uses its bits.
/// Sorts the N rows: O(N log N) comparisons and 8 N bytes.
[[nodiscard]] inline double effective_bits(const PackedCodes& codes) {
  const auto width = static_cast<std::size_t>(codes.row_bytes());
  const auto compare = [&](Index a, Index b) {
    return std::memcmp(codes.row(a).data(), codes.row(b).data(), width);
  };
  std::vector<Index> order(static_cast<std::size_t>(codes.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return compare(a, b) < 0; });

  std::vector<Index> counts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) counts.push_back(0);
    ++counts.back();
  }
  return entropy_bits(counts);
}

} // namespace parmac
