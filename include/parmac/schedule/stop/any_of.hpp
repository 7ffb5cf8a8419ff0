// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parmac/core/stopping_rule.hpp"
#include "parmac/schedule/any.hpp"

namespace parmac {

/// Stops as soon as one of its rules says so, for the reason of the first that does. All rules see
/// every iteration.
class AnyOf {
public:
  explicit AnyOf(std::vector<AnyStoppingRule> rules) : rules_(std::move(rules)) {}
  /// AnyOf(FixedPoint{}, TimeLimit{60}).
  template <class First, class... Rules>
    requires(!std::same_as<std::remove_cvref_t<First>, std::vector<AnyStoppingRule>> &&
             !std::same_as<std::remove_cvref_t<First>, AnyOf>)
  explicit AnyOf(First&& first, Rules&&... rules)
      : rules_{AnyStoppingRule(std::forward<First>(first)),
               AnyStoppingRule(std::forward<Rules>(rules))...} {}

  std::optional<std::string> operator()(const IterationReport& iteration) {
    std::optional<std::string> reason;
    for (AnyStoppingRule& rule : rules_) {
      const std::optional<std::string> answer = rule(iteration);
      if (answer && !reason) reason = answer;
    }
    return reason;
  }

private:
  std::vector<AnyStoppingRule> rules_;
};
static_assert(StoppingRule<AnyOf>);

} // namespace parmac
