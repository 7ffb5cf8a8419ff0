// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "parmac/core/penalty_schedule.hpp"
#include "parmac/core/stopping_rule.hpp"

namespace parmac {

/// Any PenaltySchedule, held by value.
class AnyPenalty {
public:
  template <class P>
    requires(!std::same_as<std::remove_cvref_t<P>, AnyPenalty>)
  AnyPenalty(P&& schedule) { // NOLINT: conversion intended
    using Schedule = std::decay_t<P>;
    static_assert(check_penalty_schedule<Schedule>());
    if constexpr (PenaltySchedule<Schedule>) schedule_ = std::forward<P>(schedule);
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
  AnyStoppingRule(R&& rule) { // NOLINT: conversion intended
    using Rule = std::decay_t<R>;
    static_assert(check_stopping_rule<Rule>());
    if constexpr (StoppingRule<Rule>) rule_ = std::forward<R>(rule);
  }
  std::optional<std::string> operator()(const IterationReport& iteration) {
    return rule_(iteration);
  }

private:
  std::function<std::optional<std::string>(const IterationReport&)> rule_;
};

} // namespace parmac
