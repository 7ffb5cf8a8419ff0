// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/random.hpp"

namespace parmac {

/// How a W step goes round.
struct VisitSettings {
  int epochs = 1;            ///< e: passes of every submodel over all points.
  bool local_epochs = false; ///< All e passes at each stop, instead of e laps with one pass each.
  bool shuffle_ring = false; ///< Another order of the machines in every lap.
};

/// The way of a baton through the ring: pure arithmetic, the same on all machines without talking.
///
/// Position k is the (k+1)-th stop. Positions 0 .. eP-1 train (e laps of P machines), the following
/// P-1 deliver the final copy, so a baton makes (e+1)P - 2 hops and trains e times on every
/// machine; with `local_epochs` there is one training lap with e passes a stop, and 2P - 2 hops.
/// The hop to position k follows the ring of lap k / P. A lap starts at the successor, in its own
/// ring, of where the lap before it ended, hence ends there again: every lap meets every machine
/// once, whatever the rings are, and the number of hops is always the same. Source: ParMAC,
/// sections on the W step, shuffling and the two-round variant; hops counted here.
class VisitPlan {
public:
  /// @throws ConfigError unless machines >= 1 and epochs >= 1.
  VisitPlan(int machines, VisitSettings settings, std::uint64_t seed = 0, int iteration = 0)
      : machines_(machines),
        passes_(settings.local_epochs ? settings.epochs : 1),
        laps_(settings.local_epochs ? 1 : settings.epochs) {
    require(machines >= 1, "a ring has at least one machine, not ", machines);
    require(settings.epochs >= 1, "the number of epochs is ", settings.epochs,
            "; it must be at least 1");
    if (!settings.shuffle_ring) return;
    for (int lap = 0; lap <= laps_; ++lap) {
      std::vector<int> order(static_cast<std::size_t>(machines));
      std::iota(order.begin(), order.end(), 0);
      RandomStream(seed, static_cast<std::uint64_t>(iteration), static_cast<std::uint64_t>(lap),
                   shuffle_purpose)
          .shuffle(std::span<int>(order));
      std::vector<int> successor(order.size());
      for (std::size_t i = 0; i < order.size(); ++i)
        successor[static_cast<std::size_t>(order[i])] = order[(i + 1) % order.size()];
      successors_.push_back(std::move(successor));
    }
  }

  /// e: how often a baton trains on every machine.
  [[nodiscard]] int epochs() const { return laps_ * passes_; }
  /// Passes over the shard at every training stop.
  [[nodiscard]] int passes_a_stop() const { return passes_; }
  /// Stops that train: laps times P.
  [[nodiscard]] std::uint32_t training_stops() const {
    return narrow<std::uint32_t>(laps_ * machines_);
  }
  /// The last position, which is also the number of hops: (laps + 1) P - 2.
  [[nodiscard]] std::uint32_t last_position() const {
    return training_stops() + narrow<std::uint32_t>(machines_) - 2;
  }
  /// Whether a baton is trained at this position.
  [[nodiscard]] bool trains(std::uint32_t position) const { return position < training_stops(); }
  /// Whether the last training of a baton is at this position.
  [[nodiscard]] bool completes(std::uint32_t position) const {
    return position + 1 == training_stops();
  }
  /// Where a baton goes that is at this position on machine `rank`. @pre position < last_position()
  [[nodiscard]] int next(int rank, std::uint32_t position) const {
    if (successors_.empty()) return (rank + 1) % machines_;
    const std::size_t lap = (position + 1) / narrow<std::uint32_t>(machines_);
    return successors_[lap][static_cast<std::size_t>(rank)];
  }
  /// The lap of a position.
  [[nodiscard]] int lap(std::uint32_t position) const {
    return narrow<int>(position / narrow<std::uint32_t>(machines_));
  }

private:
  static constexpr std::uint64_t shuffle_purpose = 0x72696e67; // apart from any rank's own stream

  int machines_;
  int passes_;
  int laps_;
  std::vector<std::vector<int>> successors_; // [lap][rank]; empty: rank + 1
};

} // namespace parmac
