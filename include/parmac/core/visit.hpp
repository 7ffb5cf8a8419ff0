// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <functional>

#include "parmac/support/random.hpp"

namespace parmac {

/// One visit: a range of submodels learns once from the points of one machine. An epoch is over
/// when every range has visited every machine.
struct Visit {
  std::uint64_t seed = 0;
  int iteration = 0;
  int epoch = 0;
  int rank = 0;
  /// Training visits that this range has behind it in this W step.
  std::uint64_t visits_before = 0;
  /// Points that this range has learnt from already in this W step, on all machines together, so
  /// that step sizes need no state of their own that travels.
  std::uint64_t points_seen = 0;
  /// Points that it learnt from in the W steps before this one, so that step sizes can go on
  /// falling from iteration to iteration.
  std::uint64_t points_before = 0;
  /// What `progress()` calls; empty outside of a ring.
  std::function<void()> let_messages_move = {};

  /// The first training visit of this W step: statistics start at zero here.
  [[nodiscard]] bool first() const { return visits_before == 0; }

  /// The random numbers of this very visit: a function of (seed, iteration, epoch, machine,
  /// purpose) alone. The range is left out on purpose, so that it never matters how submodels
  /// are grouped; a model that wants other numbers for each submodel makes it the purpose.
  [[nodiscard]] RandomStream stream(std::uint64_t purpose = 0) const {
    return RandomStream(seed, static_cast<std::uint64_t>(iteration),
                        static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(rank),
                        purpose);
  }

  /// Lets messages of other submodels move on while this one trains. Call it every so often, such
  /// as once a minibatch; it costs well under a microsecond when nothing has arrived.
  /// @throws RemoteError when another machine has failed.
  void progress() const {
    if (let_messages_move) let_messages_move();
  }
};

} // namespace parmac
