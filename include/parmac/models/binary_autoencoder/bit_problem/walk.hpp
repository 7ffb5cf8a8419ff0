// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "parmac/models/binary_autoencoder/bit_problem/falling.hpp"
#include "parmac/models/binary_autoencoder/bit_problem/quadratic.hpp"

namespace parmac::bit_problem {

/// A code on its way through a point's problem, a bit at a time, with the gradient and E kept up to
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
    Quadratic::require_finite(problem, cost_rounding_);
    std::copy(problem.h.begin(), problem.h.end(), h_.begin());
    clear_padding(h_, L);
  }

  /// Goes to the code z. O(L) for every bit set. @pre z has as many words as h
  void start(std::span<const Word> z) {
    std::copy(z.begin(), z.end(), z_.begin());
    clear_padding(z_, quadratic_->bits());
    const Index rows = quadratic_->columns().rows();
    Index row = 0;
    for (; row + 32 <= rows; row += 32) sum_columns<4>(row);
    for (; row < rows; row += 8) sum_columns<1>(row);
    // Without branches, which would go either way half of the time.
    double sums[8] = {};
    for (std::size_t w = 0; w < z_.size(); ++w)
      for (Index b = 0; b < word_bits; b += 8) {
        const Index l = static_cast<Index>(w) * word_bits + b;
        const Word bits = z_[w] >> b;
        for (Index k = 0; k < 8; ++k)
          sums[k] += static_cast<double>(bits >> k & 1) * (field_(l + k) + linear_(l + k));
      }
    const double twice =
        ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    cost_ = twice / 2 + mu_ * static_cast<double>(hamming(z_, h_));
  }

  void flip(Index l) {
    const bool set = bit(z_, l);
    cost_ += set ? -rise(l) : rise(l);
    auto field = field_.head(quadratic_->columns().rows());
    if (set)
      field -= quadratic_->columns().col(l);
    else
      field += quadratic_->columns().col(l);
    bit_problem::flip(z_, l);
  }

  /// Goes to z from a code nearby; exact to rounding of the numbers in between. O(L d) where d bits
  /// differ. @pre z has no bits beyond the L-th
  void move(std::span<const Word> z) {
    for (std::size_t w = 0; w < z_.size(); ++w)
      for (Word left = z_[w] ^ z[w]; left != 0; left &= left - 1)
        flip(static_cast<Index>(w) * word_bits + std::countr_zero(left));
  }

  /// Flips bits, each time the first one, cyclically, whose flip lowers E by more than rounding
  /// could, until there is none.
  void descend() {
    for (Index l = next(0); l >= 0; l = next(l + 1 < quadratic_->bits() ? l + 1 : 0)) flip(l);
  }

  /// E at the present code.
  [[nodiscard]] double cost() const { return cost_; }

  /// How far rounding may have moved `cost()`; closer costs are treated as ties.
  [[nodiscard]] double cost_rounding() const { return cost_rounding_; }

  [[nodiscard]] std::span<const Word> code() const { return z_; }
  [[nodiscard]] std::span<const Word> h() const { return h_; } ///< without what is beyond L bits
  [[nodiscard]] const Quadratic& quadratic() const { return *quadratic_; }

private:
  // What E changes by when bit l goes from 0 to 1, all others staying.
  [[nodiscard]] double rise(Index l) const { return field_(l) + (bit(h_, l) ? -mu_ : mu_); }

  // The first bit from `from` on, or else from 0 on, whose flip lowers E by more than rounding
  // could; -1 where there is none. O(L), a word at a time.
  [[nodiscard]] Index next(Index from) const {
    const auto first = static_cast<std::size_t>(from / word_bits);
    const Word reached = ~Word{0} << (from % word_bits);
    for (std::size_t step = 0; step <= z_.size(); ++step) {
      const std::size_t w = step < z_.size() - first ? first + step : first + step - z_.size();
      const Word wanting = wanting_bits(w);
      if (const Word ahead = step == 0 ? wanting & reached : wanting; ahead != 0)
        return static_cast<Index>(w) * word_bits + std::countr_zero(ahead);
      if (z_.size() == 1) return wanting == 0 ? -1 : static_cast<Index>(std::countr_zero(wanting));
    }
    return -1;
  }

  using Eight [[gnu::vector_size(64)]] = double;

  template <class Use>
  void for_each_set(Use&& use) const {
    for (std::size_t w = 0; w < z_.size(); ++w)
      for (Word left = z_[w]; left != 0; left &= left - 1)
        use(static_cast<Index>(w) * word_bits + std::countr_zero(left));
  }

  // Rows row .. row + 8 K - 1 of field = linear + the columns of the bits that are set.
  template <std::size_t K>
  void sum_columns(Index row) {
    Eight sum[K];
    std::memcpy(sum, linear_.data() + row, sizeof sum);
    for_each_set([&](Index l) {
      const double* column = quadratic_->columns().col(l).data() + row;
      for (std::size_t k = 0; k < K; ++k) {
        Eight part;
        std::memcpy(&part, column + 8 * k, sizeof part);
        sum[k] += part;
      }
    });
    std::memcpy(field_.data() + row, sum, sizeof sum);
  }

  // The bits of word w whose flip lowers E; those beyond L have no field and no wish.
  [[nodiscard]] Word wanting_bits(std::size_t w) const {
    const double* field = field_.data() + w * word_bits;
    const double* rounding = rounding_.data() + w * word_bits;
    Word wanting = 0;
#if defined(__AVX512F__)
    for (int b = 0; b < word_bits; b += 8) {
      const __m512d rise = _mm512_loadu_pd(field + b) + pull_of(mu_, eight_bits(h_[w], b));
      wanting |= falling(rise, eight_bits(z_[w], b), _mm512_loadu_pd(rounding + b)) << b;
    }
#else
    for (int b = 0; b < word_bits; ++b) {
      const double rise = field[b] + ((h_[w] >> b & 1) != 0 ? -mu_ : mu_);
      const double fall = (z_[w] >> b & 1) != 0 ? rise : -rise;
      wanting |= static_cast<Word>(fall > rounding[b]) << b;
    }
#endif
    return wanting & valid(w);
  }

  [[nodiscard]] Word valid(std::size_t w) const {
    const Index left = quadratic_->bits() - static_cast<Index>(w) * word_bits;
    return left >= word_bits ? ~Word{0} : (Word{1} << left) - 1;
  }

  const Quadratic* quadratic_;
  std::vector<Word> h_;
  std::vector<Word> z_;
  // All as long as the words' bits, with zeros beyond L.
  Eigen::VectorXd linear_;   // G_ll - 2 t_l
  Eigen::VectorXd field_;    // linear + 2 (G without its diagonal) z
  Eigen::VectorXd rounding_; // how far rounding may move a rise; smaller changes are ties
  double mu_ = 0;
  double cost_ = 0;
  double cost_rounding_ = 0;
};

} // namespace parmac::bit_problem
