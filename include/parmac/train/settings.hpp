// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

#include "parmac/schedule/any.hpp"
#include "parmac/schedule/geometric_penalty.hpp"
#include "parmac/schedule/stop/fixed_point.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// How to train; every machine of a run must use the same.
struct FitSettings {
  AnyPenalty penalty = GeometricPenalty{}; ///< mu of each iteration.
  AnyStoppingRule stop = FixedPoint{};     ///< Asked after every iteration.
  int max_iterations = 50;                 ///< The run ends after so many at the latest.
  int epochs = 1;                          ///< e: passes over all points in a W step.
  bool local_epochs = false;               ///< All e passes at each stop (the two-round variant).
  bool shuffle_ring = false;               ///< Another order of the machines in every lap.
  int batons_per_machine = 1;              ///< Into how many ranges a kind is cut, per machine.
  std::uint64_t seed = 1;
  bool final_fit = true; ///< At the end project the coordinates, and train the output layer again.

  /// @throws ConfigError for a number out of its range.
  void validate() const {
    require(max_iterations >= 1, "max_iterations is ", max_iterations, "; it must be at least 1");
    require(epochs >= 1, "epochs is ", epochs, "; it must be at least 1");
    require(batons_per_machine >= 1, "batons_per_machine is ", batons_per_machine,
            "; it must be at least 1");
  }

  /// What must be equal on all machines, in words.
  [[nodiscard]] std::string fingerprint() const {
    return text("max_iterations=", max_iterations, " epochs=", epochs,
                " local_epochs=", local_epochs, " shuffle_ring=", shuffle_ring,
                " batons_per_machine=", batons_per_machine, " seed=", seed,
                " final_fit=", final_fit);
  }
};

} // namespace parmac
