// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "parmac/models/binary_autoencoder/bit_problem/quadratic.hpp"

namespace parmac::bit_problem {

/// A code on its way through a point's problem, a bit at a time, with the gradient kept up to
/// date: asking what a flip changes is O(1), a flip is O(L). Holds all the memory it needs, so that
/// the points after the first allocate nothing. Refers to the Quadratic, which must outlive it.
class Walk {
public:
  explicit Walk(const Quadratic& quadratic)
      : quadratic_(&quadratic),
        h_(static_cast<std::size_t>(words_for(quadratic.bits()))),
        z_(h_.size()),
        linear_(Eigen::VectorXd::Zero(word_bits * words_for(quadratic.bits()))),
        field_(linear_),
        pull_(linear_),
        rounding_(linear_) {}

  /// Takes up a new point. @throws ShapeError @throws ConfigError
  /// @throws NumericalError when the linear term or mu is not finite.
  void take(const PointProblem& problem) {
    quadratic_->require_matching(problem, z_);
    const Index L = quadratic_->bits();
    linear_.head(L) =
        quadratic_->diagonal() - 2 * Eigen::Map<const Eigen::VectorXd>(problem.t.data(), L);
    mu_ = problem.mu;
    rounding_.head(L) =
        1e-13 * (quadratic_->spread() + linear_.head(L).cwiseAbs()).array() + 1e-13 * mu_;
    cost_rounding_ = rounding_.head(L).sum();
    // A sum of sizes is finite where all its terms are.
    require<NumericalError>(std::isfinite(cost_rounding_),
                            "the problem of a point is not finite: mu is ", problem.mu,
                            ", the first number of its linear term ", problem.t[0]);
    std::copy(problem.h.begin(), problem.h.end(), h_.begin());
    clear_padding(h_, L);
    for (Index l = 0; l < L; ++l)
      pull_(l) =
          (h_[static_cast<std::size_t>(l / word_bits)] >> (l % word_bits) & 1) != 0 ? -mu_ : mu_;
  }

  /// Goes to the code z. O(L) for every bit set. @pre z has as many words as h
  void start(std::span<const Word> z) {
    std::copy(z.begin(), z.end(), z_.begin());
    clear_padding(z_, quadratic_->bits());
    field_ = linear_;
    for (std::size_t w = 0; w < z_.size(); ++w)
      for (Word left = z_[w]; left != 0; left &= left - 1)
        field_.head(quadratic_->bits()) +=
            quadratic_->coupling().col(static_cast<Index>(w) * word_bits + std::countr_zero(left));
  }

  /// What E changes by when bit l goes from 0 to 1, all others staying.
  [[nodiscard]] double rise(Index l) const { return field_(l) + pull_(l); }

  /// How far rounding may have moved `rise(l)`; smaller changes are treated as ties.
  [[nodiscard]] double rounding(Index l) const { return rounding_(l); }

  /// The first bit from `from` on, or else from 0 on, whose flip lowers E by more than rounding
  /// could; -1 where there is none. O(L), a word at a time.
  [[nodiscard]] Index next(Index from) const {
    const auto first = static_cast<std::size_t>(from / word_bits);
    const Word reached = ~Word{0} << (from % word_bits);
    for (std::size_t step = 0; step <= z_.size(); ++step) {
      const std::size_t w = (first + step) % z_.size();
      Word wanting = wanting_bits(w);
      if (step == 0) wanting &= reached;
      if (step == z_.size()) wanting &= ~reached;
      if (wanting != 0) return static_cast<Index>(w) * word_bits + std::countr_zero(wanting);
    }
    return -1;
  }

  void flip(Index l) {
    auto field = field_.head(quadratic_->bits());
    if (bit(z_, l))
      field -= quadratic_->coupling().col(l);
    else
      field += quadratic_->coupling().col(l);
    bit_problem::flip(z_, l);
  }

  /// E at the present code. O(L)
  [[nodiscard]] double cost() const {
    double twice = 0;
    for (std::size_t w = 0; w < z_.size(); ++w)
      for (Word left = z_[w]; left != 0; left &= left - 1) {
        const Index l = static_cast<Index>(w) * word_bits + std::countr_zero(left);
        twice += field_(l) + linear_(l);
      }
    return twice / 2 + mu_ * static_cast<double>(hamming(z_, h_));
  }

  /// How far rounding may have moved `cost()`; closer costs are treated as ties.
  [[nodiscard]] double cost_rounding() const { return cost_rounding_; }

  [[nodiscard]] std::span<const Word> code() const { return z_; }
  [[nodiscard]] std::span<const Word> h() const { return h_; } ///< without what is beyond L bits
  [[nodiscard]] const Quadratic& quadratic() const { return *quadratic_; }

private:
  // The bits of word w whose flip lowers E; those beyond L have no field and no wish.
  [[nodiscard]] Word wanting_bits(std::size_t w) const {
    const double* field = field_.data() + w * word_bits;
    const double* pull = pull_.data() + w * word_bits;
    const double* rounding = rounding_.data() + w * word_bits;
    Word falls = 0; // where going to 1 lowers E
    Word rises = 0;
#if defined(__AVX512F__)
    for (int b = 0; b < word_bits; b += 8) {
      const __m512d rise = _mm512_add_pd(_mm512_loadu_pd(field + b), _mm512_loadu_pd(pull + b));
      const __m512d least = _mm512_loadu_pd(rounding + b);
      const __m512d fall = _mm512_sub_pd(_mm512_setzero_pd(), rise);
      rises |= static_cast<Word>(_mm512_cmp_pd_mask(rise, least, _CMP_GT_OQ)) << b;
      falls |= static_cast<Word>(_mm512_cmp_pd_mask(fall, least, _CMP_GT_OQ)) << b;
    }
#else
    for (int b = 0; b < word_bits; ++b) {
      const double rise = field[b] + pull[b];
      rises |= static_cast<Word>(rise > rounding[b]) << b;
      falls |= static_cast<Word>(-rise > rounding[b]) << b;
    }
#endif
    return (falls & ~z_[w]) | (rises & z_[w]);
  }

  const Quadratic* quadratic_;
  std::vector<Word> h_;
  std::vector<Word> z_;
  // All as long as the words' bits, with zeros beyond L.
  Eigen::VectorXd linear_; // G_ll - 2 t_l
  Eigen::VectorXd field_;  // linear + 2 (G without its diagonal) z
  Eigen::VectorXd pull_;   // mu (1 - 2 h_l)
  Eigen::VectorXd rounding_;
  double mu_ = 0;
  double cost_rounding_ = 0;
};

} // namespace parmac::bit_problem
