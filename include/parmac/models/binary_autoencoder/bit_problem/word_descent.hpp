// SPDX-License-Identifier: BSL-1.0
#pragma once

#if defined(__AVX512F__)

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <span>

#include "parmac/models/binary_autoencoder/bit_problem/falling.hpp"
#include "parmac/models/binary_autoencoder/bit_problem/quadratic.hpp"

namespace parmac::bit_problem {

/// The descents of `Alternate` where a code is one word, with all that changes in registers: 8 K
/// bits at most. A flip costs some forty cycles at 64 bits. The same in substance as `Walk`, whose
/// sums are rounded in another order. Inlined always: calls would take the registers to memory and
/// back, a quarter of the time at 64 bits.
template <std::size_t K>
class WordDescent {
public:
  /// @pre problem and quadratic match, and the code's rows are 8 K.
  [[gnu::always_inline]] WordDescent(const Quadratic& quadratic, const PointProblem& problem)
      : columns_(quadratic.columns().data()),
        mu_(problem.mu),
        valid_(quadratic.bits() == word_bits ? ~Word{0} : (Word{1} << quadratic.bits()) - 1),
        h_(problem.h[0] & valid_) {
    const __m512d least = _mm512_set1_pd(1e-13);
    const __m512d mu = _mm512_set1_pd(mu_);
    __m512d total = _mm512_setzero_pd();
    for (std::size_t k = 0; k < K; ++k) {
      const __mmask8 valid = byte(valid_, k);
      const __m512d t = _mm512_maskz_loadu_pd(valid, problem.t.data() + 8 * k);
      const __m512d diagonal = _mm512_maskz_loadu_pd(valid, quadratic.diagonal().data() + 8 * k);
      const __m512d spread = _mm512_maskz_loadu_pd(valid, quadratic.spread().data() + 8 * k);
      const __m512d linear = diagonal - (t + t);
      const __m512d pull = pull_of(mu_, byte(h_, k));
      const __m512d rounding = least * ((spread + _mm512_abs_pd(linear)) + mu);
      total += _mm512_maskz_mov_pd(valid, rounding);
      _mm512_store_pd(alone_ + 8 * k, linear + pull);
      _mm512_store_pd(half_ + 8 * k, linear - pull);
      _mm512_store_pd(rounding_ + 8 * k, rounding);
    }
    cost_rounding_ = _mm512_reduce_add_pd(total);
  }

  /// As Walk's: what is closer than this counts as a tie. Not finite when the problem is not.
  [[nodiscard]] double cost_rounding() const { return cost_rounding_; }
  // Of one word by their types, so that copies of them are moves.
  [[nodiscard]] std::span<const Word, 1> h() const { return std::span<const Word, 1>(&h_, 1); }
  [[nodiscard]] std::span<const Word, 1> code() const { return std::span<const Word, 1>(&z_, 1); }
  /// E at the present code.
  [[nodiscard]] double cost() const { return cost_; }

  /// Goes to the code z.
  [[gnu::always_inline]] void start(std::span<const Word> z) {
    z_ = z[0] & valid_;
    __m512d rise[K];
    for (std::size_t k = 0; k < K; ++k) rise[k] = _mm512_load_pd(alone_ + 8 * k);
    for (Word left = z_; left != 0; left &= left - 1) {
      const double* column = columns_ + static_cast<std::size_t>(std::countr_zero(left)) * rows;
      for (std::size_t k = 0; k < K; ++k) rise[k] += _mm512_loadu_pd(column + 8 * k);
    }
    keep(rise);
  }

  /// Goes to z from a code nearby; exact to rounding of the numbers in between. O(L d).
  [[gnu::always_inline]] void move(std::span<const Word> z) {
    const Word to = z[0] & valid_;
    __m512d rise[K];
    for (std::size_t k = 0; k < K; ++k) rise[k] = _mm512_load_pd(rise_ + 8 * k);
    for (Word left = z_ ^ to; left != 0; left &= left - 1) turn(rise, std::countr_zero(left));
    z_ = to;
    keep(rise);
  }

  /// Flips bits, each time the first one, cyclically, whose flip lowers E by more than rounding
  /// could, until there is none.
  [[gnu::always_inline]] void descend() {
    __m512d rise[K];
    for (std::size_t k = 0; k < K; ++k) rise[k] = _mm512_load_pd(rise_ + 8 * k);
    Word wanting = wanting_bits(rise);
    if (wanting == 0) return;
    for (Word ahead = ~Word{0}; wanting != 0; wanting = wanting_bits(rise)) {
      const int l = std::countr_zero((wanting & ahead) != 0 ? wanting & ahead : wanting);
      turn(rise, l);
      z_ ^= Word{1} << l;
      ahead = ~Word{1} << l;
    }
    keep(rise);
  }

private:
  static constexpr std::size_t rows = 8 * K;

  static __mmask8 byte(Word word, std::size_t k) {
    return eight_bits(word, static_cast<int>(8 * k));
  }

  // What the flip of bit l of z_ does to the rises.
  [[gnu::always_inline]] void turn(__m512d (&rise)[K], int l) const {
    static constexpr double signs[2] = {1, -1};
    const double* column = columns_ + static_cast<std::size_t>(l) * rows;
    const __m512d sign = _mm512_set1_pd(signs[z_ >> l & 1]);
    for (std::size_t k = 0; k < K; ++k)
      rise[k] = _mm512_fmadd_pd(_mm512_loadu_pd(column + 8 * k), sign, rise[k]);
  }

  [[gnu::always_inline]] Word wanting_bits(const __m512d (&rise)[K]) const {
    Word wanting = 0;
    for (std::size_t k = 0; k < K; ++k)
      wanting |= falling(rise[k], byte(z_, k), _mm512_load_pd(rounding_ + 8 * k)) << 8 * k;
    return wanting & valid_;
  }

  // Stores the rises and finds E, which is mu Ham(z, h) + 1/2 the sum over the bits that are 1 of
  // (rise - pull) + linear, pull being what mu does to the rise.
  [[gnu::always_inline]] void keep(const __m512d (&rise)[K]) {
    __m512d twice = _mm512_setzero_pd();
    for (std::size_t k = 0; k < K; ++k) {
      _mm512_store_pd(rise_ + 8 * k, rise[k]);
      twice =
          _mm512_mask_add_pd(twice, byte(z_, k), twice, rise[k] + _mm512_load_pd(half_ + 8 * k));
    }
    cost_ = _mm512_reduce_add_pd(twice) / 2 + mu_ * static_cast<double>(std::popcount(z_ ^ h_));
  }

  alignas(64) double alone_[rows]; // rises where all other bits are 0: linear + pull
  alignas(64) double half_[rows];  // linear - pull, where linear is G_ll - 2 t_l
  alignas(64) double rounding_[rows];
  alignas(64) double rise_[rows]; // what E changes by when a bit goes from 0 to 1
  const double* columns_;
  double mu_;
  Word valid_;
  Word h_;
  Word z_ = 0;
  double cost_ = 0;
  double cost_rounding_ = 0;
};

} // namespace parmac::bit_problem
#endif
