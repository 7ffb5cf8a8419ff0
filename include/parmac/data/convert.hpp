// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <cstring>

#include "parmac/support/index.hpp"
#include "parmac/support/lanes.hpp"

namespace parmac {

/// How a feature x becomes a coordinate: (x - centre[d]) * factor.
struct AffineMap {
  const float* centre; ///< D numbers
  float factor;

  [[nodiscard]] float operator()(Index d, float x) const { return (x - centre[d]) * factor; }
#if defined(__AVX512F__)
  [[nodiscard]] __m512 operator()(Index d, __m512 x, __mmask16 some) const {
    return _mm512_mul_ps(_mm512_sub_ps(x, _mm512_maskz_loadu_ps(some, centre + d)),
                         _mm512_set1_ps(factor));
  }
#endif
};

namespace detail {

/// The feature as it is.
struct IdentityMap {
  [[nodiscard]] float operator()(Index, float x) const { return x; }
#if defined(__AVX512F__)
  [[nodiscard]] __m512 operator()(Index, __m512 x, __mmask16) const { return x; }
#endif
};

#if defined(__AVX512F__)
/// Some of sixteen features that lie side by side, at any address, as floats.
template <class Stored>
[[nodiscard]] inline __m512 load_lanes(const std::uint8_t* from, __mmask16 some) {
  if constexpr (sizeof(Stored) == 1)
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(some, from)));
  else
    return _mm512_maskz_loadu_ps(some, from);
}
#endif

/// to[d] = map(d, x) for the `count` numbers x of type Stored, `stride` bytes apart, at any
/// address.
template <class Stored, class Map>
inline void convert(const std::uint8_t* __restrict__ from, Index stride, float* __restrict__ to,
                    Index count, const Map& map) {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  // GCC prefers registers of half the width, and takes half as long again.
  if (stride == Index{sizeof(Stored)}) {
    constexpr __mmask16 all = 0xFFFF;
    Index d = 0;
    for (; d + 16 <= count; d += 16)
      _mm512_storeu_ps(to + d, map(d, load_lanes<Stored>(from + d * stride, all), all));
    if (d == count) return;
    const __mmask16 some = first_lanes(static_cast<std::size_t>(count - d));
    _mm512_mask_storeu_ps(to + d, some, map(d, load_lanes<Stored>(from + d * stride, some), some));
    return;
  }
#endif
  for (Index d = 0; d < count; ++d) {
    Stored x;
    std::memcpy(&x, from + d * stride, sizeof x);
    to[d] = map(d, static_cast<float>(x));
  }
}

} // namespace detail
} // namespace parmac
