// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "parmac/core/stopping_rule.hpp"

namespace parmac {

/// Stops as soon as one of its rules says so. All rules see every iteration.
template <class... Rules>
class AnyOf {
  static_assert((check_stopping_rule<Rules>() && ...));

public:
  explicit AnyOf(Rules... rules) : rules_(std::move(rules)...) {}

  std::optional<std::string> operator()(const IterationReport& iteration) {
    std::optional<std::string> reason;
    const auto ask = [&](auto& rule) {
      const std::optional<std::string> answer = rule(iteration);
      if (answer && !reason) reason = answer;
    };
    std::apply([&](auto&... rules) { (ask(rules), ...); }, rules_);
    return reason;
  }

private:
  std::tuple<Rules...> rules_;
};

} // namespace parmac
