// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

// Sixteen floats at a time, the width of an AVX-512 register; nothing where there is none.
#if defined(__AVX512F__)

#include <immintrin.h>

namespace parmac::detail {

inline constexpr std::size_t lane_count = 16;
using Lanes = __m512;

/// The first `count` of sixteen, for loads and stores.
inline __mmask16 first_lanes(std::size_t count) {
  return static_cast<__mmask16>((1U << count) - 1U);
}

/// The transpose of sixteen times sixteen numbers, in place.
[[gnu::always_inline]] inline void transpose(Lanes (&rows)[lane_count]) {
  Lanes half[lane_count];
  // Within quarters of registers first, as sixteen matrices of four times four.
  for (std::size_t i = 0; i < lane_count; i += 4) {
    const Lanes a = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
    const Lanes b = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
    const Lanes c = _mm512_unpacklo_ps(rows[i + 2], rows[i + 3]);
    const Lanes d = _mm512_unpackhi_ps(rows[i + 2], rows[i + 3]);
    half[i] = _mm512_shuffle_ps(a, c, 0x44);
    half[i + 1] = _mm512_shuffle_ps(a, c, 0xEE);
    half[i + 2] = _mm512_shuffle_ps(b, d, 0x44);
    half[i + 3] = _mm512_shuffle_ps(b, d, 0xEE);
  }
  // Then the quarters, as the entries of one such matrix.
  for (std::size_t i = 0; i < 4; ++i) {
    const Lanes a = _mm512_shuffle_f32x4(half[i], half[i + 4], 0x88);
    const Lanes b = _mm512_shuffle_f32x4(half[i], half[i + 4], 0xDD);
    const Lanes c = _mm512_shuffle_f32x4(half[i + 8], half[i + 12], 0x88);
    const Lanes d = _mm512_shuffle_f32x4(half[i + 8], half[i + 12], 0xDD);
    rows[i] = _mm512_shuffle_f32x4(a, c, 0x88);
    rows[i + 4] = _mm512_shuffle_f32x4(b, d, 0x88);
    rows[i + 8] = _mm512_shuffle_f32x4(a, c, 0xDD);
    rows[i + 12] = _mm512_shuffle_f32x4(b, d, 0xDD);
  }
}

} // namespace parmac::detail
#endif
