// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <span>

#include "parmac/models/binary_autoencoder/bit_problem/walk.hpp"
#include "parmac/models/binary_autoencoder/bit_problem/word_descent.hpp"

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
    prepare(problem, z);
#if defined(__AVX512F__)
    if (rows() <= word_bits)
      return of_word([&](auto& descent) { return solve_word(descent, z[0]); }, problem);
#endif
    Solution found = at_both(problem, z);
    const double at_z = found.at_start;
    found.cost = descend();
    if (at_z < found.cost - walk_.cost_rounding()) {
      walk_.start(z);
      found.cost = descend();
    }
    std::copy(walk_.code().begin(), walk_.code().end(), z.begin());
    return found;
  }

  /// What E is at h and at z, without going anywhere: the answer's `cost` is that at h.
  /// @throws ShapeError @throws ConfigError @throws NumericalError
  Solution costs(const PointProblem& problem, std::span<Word> z) {
    prepare(problem, z);
#if defined(__AVX512F__)
    if (rows() <= word_bits)
      return of_word([&](auto& descent) { return at_both(descent, z[0]); }, problem);
#endif
    return at_both(problem, z);
  }

  [[nodiscard]] const Quadratic& quadratic() const { return walk_.quadratic(); }

private:
  [[nodiscard]] Index rows() const { return quadratic().columns().rows(); }

  void prepare(const PointProblem& problem, std::span<Word> z) const {
    quadratic().require_matching(problem, z);
    clear_padding(z, quadratic().bits());
  }

  // Leaves the walk at h.
  Solution at_both(const PointProblem& problem, std::span<const Word> z) {
    walk_.take(problem);
    walk_.start(walk_.h());
    return {walk_.cost(), false, walk_.cost(), walk_.cost_at(z)};
  }

  double descend() {
    for (Index l = walk_.next(0); l >= 0; l = walk_.next(l + 1 < quadratic().bits() ? l + 1 : 0))
      walk_.flip(l);
    return walk_.cost();
  }

#if defined(__AVX512F__)
  // The same for a code of one word.
  template <class Use>
  Solution of_word(Use&& use, const PointProblem& problem) const {
    const auto with = [&](auto&& descent) {
      Quadratic::require_finite(problem, descent.cost_rounding());
      descent.start(descent.h());
      return use(descent);
    };
    switch (rows()) {
    case 8:
      return with(WordDescent<1>(quadratic(), problem));
    case 16:
      return with(WordDescent<2>(quadratic(), problem));
    case 32:
      return with(WordDescent<4>(quadratic(), problem));
    default:
      return with(WordDescent<8>(quadratic(), problem));
    }
  }

  template <class Descent>
  static Solution at_both(Descent& descent, Word z) {
    const double at_h = descent.cost();
    if (z != descent.h()) descent.move(z);
    return {at_h, false, at_h, descent.cost()};
  }

  template <class Descent>
  static Solution solve_word(Descent& descent, Word& z) {
    Solution found;
    found.at_h = found.at_start = descent.cost();
    descent.descend();
    found.cost = descent.cost();
    const Word before = z;
    z = descent.code();
    if (before == descent.h()) return found;
    descent.move(before);
    found.at_start = descent.cost();
    if (found.at_start < found.cost - descent.cost_rounding()) {
      descent.descend();
      found.cost = descent.cost();
      z = descent.code();
    }
    return found;
  }
#endif

  Walk walk_;
};

} // namespace parmac::bit_problem
