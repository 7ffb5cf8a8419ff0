// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <span>

#include "parmac/models/binary_autoencoder/bit_problem/walk.hpp"

namespace parmac::bit_problem {

/// Alternating optimisation over bits: each in turn takes its better value given the others, until
/// none wants to change. Not always the best code, but never one that costs more than h or than
/// the present z. Holds its own memory: one object a thread.
/// Source: Carreira-Perpinan and Raziperchikolaei, "Hashing with binary autoencoders" (CVPR 2015).
class Alternate {
public:
  /// @pre The Quadratic outlives this object
  explicit Alternate(const Quadratic& quadratic) : walk_(quadratic) {}
  explicit Alternate(const Quadratic&&) = delete;

  /// Replaces z by the code where a descent from h ends, or, if z itself costs less than that, by
  /// the one where a descent from z ends. A bit changes only if that lowers E by more than rounding
  /// could, so a descent ends, and h stays h when mu is above its reconstruction error. On a tie
  /// the descent from h wins. `proven` is never claimed. O(L) a flip.
  /// @throws ShapeError @throws ConfigError @throws NumericalError
  Solution solve(const PointProblem& problem, std::span<Word> z) {
    walk_.take(problem);
    walk_.quadratic().require_matching(problem, z);
    clear_padding(z, walk_.quadratic().bits());
    walk_.start(walk_.h());
    Solution found;
    found.at_h = found.at_start = walk_.cost();
    found.cost = descend();
    if (!std::equal(z.begin(), z.end(), walk_.h().begin())) {
      found.at_start = walk_.cost_at(z);
      if (found.at_start < found.cost - walk_.cost_rounding()) {
        walk_.start(z);
        found.cost = descend();
      }
    }
    std::copy(walk_.code().begin(), walk_.code().end(), z.begin());
    return found;
  }

  /// The problem that was solved last. For methods that go on from its answer.
  [[nodiscard]] const Walk& walk() const { return walk_; }

private:
  double descend() {
    for (Index l = walk_.next(0); l >= 0;) l = walk_.flip_then_next(l);
    return walk_.cost();
  }

  Walk walk_;
};

} // namespace parmac::bit_problem
