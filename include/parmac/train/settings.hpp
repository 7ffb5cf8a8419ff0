// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "parmac/core/penalty_schedule.hpp"
#include "parmac/core/stopping_rule.hpp"
#include "parmac/schedule/geometric_penalty.hpp"
#include "parmac/schedule/stop/fixed_point.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// Any PenaltySchedule, held by value.
class AnyPenalty {
public:
  template <class P>
    requires(!std::same_as<std::remove_cvref_t<P>, AnyPenalty>)
  AnyPenalty(P&& schedule) : schedule_(std::forward<P>(schedule)) { // NOLINT: conversion intended
    static_assert(check_penalty_schedule<std::remove_cvref_t<P>>());
  }
  double operator()(int iteration) const { return schedule_(iteration); }

private:
  std::function<double(int)> schedule_;
};

/// Any StoppingRule, held by value.
class AnyStoppingRule {
public:
  template <class R>
    requires(!std::same_as<std::remove_cvref_t<R>, AnyStoppingRule>)
  AnyStoppingRule(R&& rule) : rule_(std::forward<R>(rule)) { // NOLINT: conversion intended
    static_assert(check_stopping_rule<std::remove_cvref_t<R>>());
  }
  std::optional<std::string> operator()(const IterationReport& iteration) { return rule_(iteration); }

private:
  std::function<std::optional<std::string>(const IterationReport&)> rule_;
};

/// How to train; every machine of a run must use the same.
struct FitSettings {
  AnyPenalty penalty = GeometricPenalty{};   ///< mu of each iteration.
  AnyStoppingRule stop = FixedPoint{};       ///< Asked after every iteration.
  int max_iterations = 50;                   ///< The run ends after so many at the latest.
  int epochs = 1;                            ///< e: passes over all points in a W step.
  bool local_epochs = false;                 ///< All e passes at each stop (the two-round variant).
  bool shuffle_ring = false;                 ///< Another order of the machines in every lap.
  int batons_per_machine = 1;                ///< Into how many ranges a kind is cut, per machine.
  std::uint64_t seed = 1;
  bool final_fit = true; ///< Project the coordinates at the end and train the output layer once more.

  /// @throws ConfigError for a number out of its range.
  void validate() const {
    require(max_iterations >= 1, "max_iterations is ", max_iterations, "; it must be at least 1");
    require(epochs >= 1, "epochs is ", epochs, "; it must be at least 1");
    require(batons_per_machine >= 1, "batons_per_machine is ", batons_per_machine,
            "; it must be at least 1");
  }

  /// What must be equal on all machines, in words.
  [[nodiscard]] std::string fingerprint() const {
    return text("max_iterations=", max_iterations, " epochs=", epochs, " local_epochs=", local_epochs,
                " shuffle_ring=", shuffle_ring, " batons_per_machine=", batons_per_machine,
                " seed=", seed, " final_fit=", final_fit);
  }
};

} // namespace parmac
