// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "parmac/models/binary_autoencoder/bit_problem/quadratic.hpp"

namespace parmac::bit_problem {

/// A code on its way through a point's problem, a bit at a time, with the gradient kept up to
/// date: asking what a flip changes is O(1), a flip is O(L). Holds all the memory it needs, so that
/// the points after the first allocate nothing. Refers to the Quadratic, which must outlive it.
class Walk {
public:
  explicit Walk(const Quadratic& quadratic)
      : quadratic_(&quadratic),
        linear_(quadratic.bits()),
        field_(quadratic.bits()),
        pull_(quadratic.bits()),
        h_(static_cast<std::size_t>(words_for(quadratic.bits()))),
        z_(h_.size()) {}

  /// Takes up a new point. @throws ShapeError @throws ConfigError
  /// @throws NumericalError when the linear term or mu is not finite.
  void take(const PointProblem& problem) {
    quadratic_->require_matching(problem, z_);
    linear_ = quadratic_->diagonal() -
              2 * Eigen::Map<const Eigen::VectorXd>(problem.t.data(), quadratic_->bits());
    require<NumericalError>(linear_.allFinite() && std::isfinite(problem.mu),
                            "the problem of a point is not finite: mu is ", problem.mu,
                            ", the first number of its linear term ", problem.t[0]);
    mu_ = problem.mu;
    cost_rounding_ = 1e-13 * (quadratic_->spread().sum() + linear_.cwiseAbs().sum() + mu_);
    std::copy(problem.h.begin(), problem.h.end(), h_.begin());
    clear_padding(h_, quadratic_->bits());
    for (Index l = 0; l < quadratic_->bits(); ++l) pull_(l) = bit(h_, l) ? -mu_ : mu_;
  }

  /// Goes to the code z. O(L) for every bit set. @pre z has as many words as h
  void start(std::span<const Word> z) {
    std::copy(z.begin(), z.end(), z_.begin());
    clear_padding(z_, quadratic_->bits());
    field_ = linear_;
    for (Index l = 0; l < quadratic_->bits(); ++l)
      if (bit(z_, l)) field_ += quadratic_->coupling().col(l);
  }

  /// What E changes by when bit l goes from 0 to 1, all others staying.
  [[nodiscard]] double rise(Index l) const { return field_(l) + pull_(l); }

  /// How far rounding may have moved `rise(l)`; smaller changes are treated as ties.
  [[nodiscard]] double rounding(Index l) const {
    return 1e-13 * (quadratic_->spread()(l) + std::abs(linear_(l)) + mu_);
  }

  void flip(Index l) {
    if (bit(z_, l))
      field_ -= quadratic_->coupling().col(l);
    else
      field_ += quadratic_->coupling().col(l);
    bit_problem::flip(z_, l);
  }

  /// E at the present code. O(L)
  [[nodiscard]] double cost() const {
    double twice = 0;
    for (Index l = 0; l < quadratic_->bits(); ++l)
      if (bit(z_, l)) twice += field_(l) + linear_(l);
    return twice / 2 + mu_ * static_cast<double>(hamming(z_, h_));
  }

  /// How far rounding may have moved `cost()`; closer costs are treated as ties.
  [[nodiscard]] double cost_rounding() const { return cost_rounding_; }

  [[nodiscard]] std::span<const Word> code() const { return z_; }
  [[nodiscard]] std::span<const Word> h() const { return h_; } ///< without what is beyond L bits
  [[nodiscard]] const Quadratic& quadratic() const { return *quadratic_; }

private:
  const Quadratic* quadratic_;
  Eigen::VectorXd linear_; // G_ll - 2 t_l
  Eigen::VectorXd field_;  // linear + 2 (G without its diagonal) z
  Eigen::VectorXd pull_;   // mu (1 - 2 h_l)
  double mu_ = 0;
  double cost_rounding_ = 0;
  std::vector<Word> h_;
  std::vector<Word> z_;
};

} // namespace parmac::bit_problem
