// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <span>
#include <vector>

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
  explicit Alternate(const Quadratic& quadratic)
      : walk_(quadratic), before_(static_cast<std::size_t>(words_for(quadratic.bits()))) {}
  explicit Alternate(const Quadratic&&) = delete;

  /// Replaces z by the code where a descent from h ends, or, if z itself costs less than that, by
  /// the one where a descent from z ends. A bit changes only if that lowers E by more than rounding
  /// could, so a descent ends, and h stays h when mu is above its reconstruction error. On a tie
  /// the descent from h wins. `proven` is never claimed. O(L) a flip.
  /// @throws ShapeError @throws ConfigError @throws NumericalError
  Solution solve(const PointProblem& problem, std::span<Word> z) {
    return from_h(problem, z, [](auto& walk, auto code, auto before) {
      Solution found;
      found.at_h = found.at_start = walk.cost();
      walk.descend();
      found.cost = walk.cost();
      std::copy(code.begin(), code.end(), before.begin());
      std::copy(walk.code().begin(), walk.code().end(), code.begin());
      if (std::equal(before.begin(), before.end(), walk.h().begin())) return found;
      walk.move(before);
      found.at_start = walk.cost();
      if (found.at_start < found.cost - walk.cost_rounding()) {
        walk.descend();
        found.cost = walk.cost();
        std::copy(walk.code().begin(), walk.code().end(), code.begin());
      }
      return found;
    });
  }

  /// What E is at h and at z, without a descent: the answer's `cost` is that at h.
  /// @throws ShapeError @throws ConfigError @throws NumericalError
  Solution costs(const PointProblem& problem, std::span<Word> z) {
    return from_h(problem, z, [](auto& walk, auto code, auto) {
      const double at_h = walk.cost();
      walk.move(code);
      return Solution{at_h, false, at_h, walk.cost()};
    });
  }

  [[nodiscard]] const Quadratic& quadratic() const { return walk_.quadratic(); }

private:
  // Calls `use` with a walk that stands at h, z, and room for another code: a walk in registers
  // where there is such, with codes that are of one word by their types, which copies in no call.
  template <class Use>
  Solution from_h(const PointProblem& problem, std::span<Word> z, Use&& use) {
    quadratic().require_matching(problem, z);
    clear_padding(z, quadratic().bits());
#if defined(__AVX512F__)
    const auto use_word = [&](auto&& walk) {
      Quadratic::require_finite(problem, walk.cost_rounding());
      walk.start(walk.h());
      return use(walk, z.template first<1>(), std::span<Word, 1>(before_));
    };
    switch (quadratic().columns().rows()) {
    case 8:
      return use_word(WordDescent<1>(quadratic(), problem));
    case 16:
      return use_word(WordDescent<2>(quadratic(), problem));
    case 32:
      return use_word(WordDescent<4>(quadratic(), problem));
    case 64:
      return use_word(WordDescent<8>(quadratic(), problem));
    default:
      break;
    }
#endif
    walk_.take(problem);
    walk_.start(walk_.h());
    return use(walk_, z, std::span<Word>(before_));
  }

  Walk walk_;
  std::vector<Word> before_;
};

} // namespace parmac::bit_problem
