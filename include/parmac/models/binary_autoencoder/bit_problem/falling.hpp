// SPDX-License-Identifier: BSL-1.0
#pragma once

// Eight bits of a code at a time; nothing where there is no AVX-512.
#if defined(__AVX512F__)

#include <immintrin.h>

#include "parmac/models/binary_autoencoder/bit_problem/bits.hpp"

namespace parmac::bit_problem {

/// Bits b .. b + 7 of a word.
inline __mmask8 eight_bits(Word word, int b) { return static_cast<__mmask8>(word >> b); }

/// Of eight bits z, those whose flip lowers E by more than rounding could: by the rise of a bit
/// that is 1, and by minus the rise of one that is 0. (Its sign bit is turned, which takes less
/// time than a difference; this is what a flip waits for.)
[[gnu::always_inline]] inline Word falling(__m512d rise, __mmask8 z, __m512d rounding) {
  const __m512i minus = _mm512_set1_epi64(static_cast<long long>(Word{1} << 63));
  const __m512i bits = _mm512_castpd_si512(rise);
  const __m512i fall = _mm512_mask_xor_epi64(bits, static_cast<__mmask8>(~z), bits, minus);
  return Word{_mm512_cmp_pd_mask(_mm512_castsi512_pd(fall), rounding, _CMP_GT_OQ)};
}

/// What mu does to the rises of eight bits of which h is the encoder's code.
inline __m512d pull_of(double mu, __mmask8 h) {
  return _mm512_mask_sub_pd(_mm512_set1_pd(mu), h, _mm512_setzero_pd(), _mm512_set1_pd(mu));
}

} // namespace parmac::bit_problem
#endif
