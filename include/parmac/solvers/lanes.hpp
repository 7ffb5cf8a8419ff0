// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstring>

// Sixteen floats at a time, the width of an AVX-512 register; nothing where there is none.
#if defined(__AVX512F__)

namespace parmac::detail {

inline constexpr std::size_t lane_count = 16;
using Lanes [[gnu::vector_size(64)]] = float;

inline Lanes load_lanes(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
/// The first `count` < 16 numbers, and zeros.
inline Lanes load_lanes(const float* from, std::size_t count) {
  float padded[lane_count] = {};
  std::memcpy(padded, from, count * sizeof(float));
  return load_lanes(padded);
}
inline void store_lanes(const Lanes& lanes, float* to, std::size_t count = lane_count) {
  std::memcpy(to, &lanes, count * sizeof(float));
}

/// The sum over the lanes: halves are added, then their halves, and so on.
inline float sum_of(const Lanes& lanes) {
  float sums[lane_count];
  store_lanes(lanes, sums);
  for (std::size_t half = lane_count / 2; half >= 1; half /= 2)
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  return sums[0];
}

/// Lane i of the result is `sum_of(all[i])`, bit for bit.
inline Lanes sums_of(const Lanes (&all)[lane_count]) {
  using Indices [[gnu::vector_size(64)]] = int;
  // A step adds the halves of every group of lanes; the results of two registers share one. The
  // indices pick the lower halves of the groups of the first and of the second in turn.
  const auto fold = [](const Lanes& a, const Lanes& b, const Indices& lower, int half) {
    return __builtin_shuffle(a, b, lower) + __builtin_shuffle(a, b, lower + half);
  };
  const Indices eights{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};
  const Indices fours{0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27};
  const Indices twos{0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29};
  const Indices ones{0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30};
  Lanes sums[8];
  for (int i = 0; i < 8; ++i) sums[i] = fold(all[i], all[i + 8], eights, 8);
  for (int i = 0; i < 4; ++i) sums[i] = fold(sums[i], sums[i + 4], fours, 4);
  for (int i = 0; i < 2; ++i) sums[i] = fold(sums[i], sums[i + 2], twos, 2);
  return fold(sums[0], sums[1], ones, 1);
}

} // namespace parmac::detail
#endif
