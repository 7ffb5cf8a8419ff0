// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "parmac/models/binary_autoencoder/bit_problem/walk.hpp"

namespace parmac::bit_problem {

/// Tries all 2^L codes, in Gray-code order so that each differs from the last in one bit. The
/// plain truth that the other methods are measured by. Holds its own memory: one object a thread.
class Enumerate {
public:
  static constexpr Index limit = 20; ///< the longest code

  /// @pre The Quadratic outlives this object @throws ConfigError when L is above the limit.
  explicit Enumerate(const Quadratic& quadratic)
      : walk_(quadratic), best_(static_cast<std::size_t>(words_for(quadratic.bits()))) {
    require(quadratic.bits() <= limit, "enumeration of codes of ", quadratic.bits(),
            " bits; it is offered up to ", limit);
  }
  explicit Enumerate(const Quadratic&&) = delete;

  /// Replaces z by a code of the lowest E. On a tie h wins, then the present z, then the first code
  /// of the order. O(2^L L). @throws ShapeError @throws ConfigError @throws NumericalError
  Solution solve(const PointProblem& problem, std::span<Word> z) {
    walk_.take(problem);
    walk_.quadratic().require_matching(problem, z);
    walk_.start(walk_.h());
    const double at_h = walk_.cost();
    double cost = at_h;
    keep();
    walk_.start(z);
    const double at_start = walk_.cost();
    compare(cost);

    const Word codes = Word{1} << walk_.quadratic().bits();
    std::fill(z.begin(), z.end(), Word{0});
    walk_.start(z);
    compare(cost);
    for (Word i = 1; i < codes; ++i) {
      walk_.flip(std::countr_zero(i));
      // Beginning anew now and then keeps the rounding errors of the flips from piling up.
      if (i % 1024 == 0) {
        std::copy(walk_.code().begin(), walk_.code().end(), z.begin());
        walk_.start(z);
      }
      compare(cost);
    }
    std::copy(best_.begin(), best_.end(), z.begin());
    return {walk_.quadratic().cost({problem.t, problem.mu, walk_.h()}, z), true, at_h, at_start};
  }

private:
  void keep() { std::copy(walk_.code().begin(), walk_.code().end(), best_.begin()); }
  void compare(double& cost) {
    const double here = walk_.cost();
    if (here >= cost - walk_.cost_rounding()) return;
    cost = here;
    keep();
  }

  Walk walk_;
  std::vector<Word> best_;
};

} // namespace parmac::bit_problem
