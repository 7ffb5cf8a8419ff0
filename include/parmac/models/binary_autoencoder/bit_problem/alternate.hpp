// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "parmac/models/binary_autoencoder/bit_problem/walk.hpp"

namespace parmac::bit_problem {

/// Alternating optimisation over bits: each in turn takes its better value given the others, until
/// none wants to change. Not always the best code, but never one that costs more than h or than
/// the present z. Holds its own memory: one object a thread.
/// Source: Carreira-Perpinan and Raziperchikolaei, "Hashing with binary autoencoders" (CVPR 2015).
class Alternate {
public:
  /// @pre The Quadratic outlives this object
  explicit Alternate(const Quadratic& quadratic)
      : walk_(quadratic), best_(static_cast<std::size_t>(words_for(quadratic.bits()))) {}
  explicit Alternate(const Quadratic&&) = delete;

  /// Replaces z by the better of the codes where descents from h and from z end. A bit changes only
  /// if that lowers E by more than rounding could, so a descent ends, and h stays h when mu is
  /// above its reconstruction error. On a tie the descent from h wins. `proven` is never claimed.
  /// O(L) a flip and O(L) a sweep. @throws ShapeError @throws ConfigError @throws NumericalError
  Solution solve(const PointProblem& problem, std::span<Word> z) {
    walk_.take(problem);
    walk_.quadratic().require_matching(problem, z);
    clear_padding(z, walk_.quadratic().bits());
    walk_.start(walk_.h());
    Solution found;
    found.at_h = found.at_start = walk_.cost();
    found.cost = descend();
    const bool same_start = std::equal(z.begin(), z.end(), walk_.h().begin());
    if (same_start) {
      std::copy(walk_.code().begin(), walk_.code().end(), z.begin());
      return found;
    }
    std::copy(walk_.code().begin(), walk_.code().end(), best_.begin());
    walk_.start(z);
    found.at_start = walk_.cost();
    const double other = descend();
    const bool better = other < found.cost - walk_.cost_rounding();
    if (better) found.cost = other;
    const std::span<const Word> code = better ? walk_.code() : std::span<const Word>(best_);
    std::copy(code.begin(), code.end(), z.begin());
    return found;
  }

  /// The problem that was solved last. For methods that go on from its answer.
  [[nodiscard]] const Walk& walk() const { return walk_; }

private:
  double descend() {
    const Index L = walk_.quadratic().bits();
    for (Index l = walk_.next(0); l >= 0; l = walk_.next(l + 1 < L ? l + 1 : 0)) walk_.flip(l);
    return walk_.cost();
  }

  Walk walk_;
  std::vector<Word> best_;
};

} // namespace parmac::bit_problem
