// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "parmac/retrieval/packed_codes.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/random.hpp"

namespace parmac::tests {

/// Codes kept the slow and obvious way, as the oracle.
using PlainCodes = std::vector<std::vector<bool>>;

inline const std::vector<Index> awkward_widths{1,  7,  8,  9,  12,  16,  31, 32,
                                               33, 63, 64, 65, 127, 128, 129};

/// `flips` of the bits are drawn, the rest are 0: few make for many ties.
inline PlainCodes random_codes(RandomStream& random, Index bits, Index count, Index flips) {
  PlainCodes codes(static_cast<std::size_t>(count),
                   std::vector<bool>(static_cast<std::size_t>(bits)));
  for (auto& code : codes)
    for (Index f = 0; f < flips; ++f)
      code[random.below(static_cast<std::uint64_t>(bits))] = random.below(2) == 1;
  return codes;
}

inline PackedCodes packed(const PlainCodes& plain, Index bits) {
  PackedCodes codes(bits, static_cast<Index>(plain.size()));
  for (std::size_t i = 0; i < plain.size(); ++i)
    for (std::size_t l = 0; l < plain[i].size(); ++l)
      codes.set(static_cast<Index>(i), static_cast<Index>(l), plain[i][l]);
  return codes;
}

inline Index plain_distance(const std::vector<bool>& a, const std::vector<bool>& b) {
  Index distance = 0;
  for (std::size_t l = 0; l < a.size(); ++l) distance += a[l] != b[l] ? 1 : 0;
  return distance;
}

/// (distance, row) of all codes, ranked.
inline std::vector<std::pair<Index, Index>> plain_ranking(const PlainCodes& base,
                                                          const std::vector<bool>& query) {
  std::vector<std::pair<Index, Index>> ranking;
  for (std::size_t i = 0; i < base.size(); ++i)
    ranking.emplace_back(plain_distance(base[i], query), static_cast<Index>(i));
  std::sort(ranking.begin(), ranking.end());
  return ranking;
}

/// Where to cut 0 .. count into so many contiguous shares, some of them empty.
inline std::vector<Index> random_cuts(RandomStream& random, Index count, Index shares) {
  std::vector<Index> cuts{0, count};
  for (Index s = 1; s < shares; ++s)
    cuts.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(count) + 1)));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

/// Codes first .. last - 1.
inline PackedCodes share_of(const PackedCodes& codes, Index first, Index last) {
  std::vector<Index> which;
  for (Index i = first; i < last; ++i) which.push_back(i);
  return codes.select(which);
}

} // namespace parmac::tests
