// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "parmac/core/stopping_rule.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// Stops after a number of iterations, at least 1; asked with less it throws ConfigError.
struct MaxIterations {
  int iterations = 1;

  std::optional<std::string> operator()(const IterationReport& iteration) const {
    require(iterations >= 1, "the limit is ", iterations, " iterations; it must be at least 1");
    if (iteration.iteration + 1 < iterations) return std::nullopt;
    return text("the limit of ", iterations, " iterations is reached");
  }
};
static_assert(StoppingRule<MaxIterations>);

/// Stops after the first iteration that ends later than so many seconds after the start, by the
/// clock of rank 0, so that all machines stop together. A negative limit makes it throw
/// ConfigError.
struct TimeLimit {
  double seconds = 0;

  std::optional<std::string> operator()(const IterationReport& iteration) const {
    require(seconds >= 0, "the limit is ", seconds, " s; it must not be negative");
    if (iteration.seconds < seconds) return std::nullopt;
    return text("the limit of ", seconds, " s is reached");
  }
};
static_assert(StoppingRule<TimeLimit>);

/// Stops when the nested objective changes by less than a fraction of itself from one iteration to
/// the next. A negative fraction makes it throw ConfigError.
struct RelativeChange {
  double fraction = 1e-4;
  std::optional<double> last = {}; ///< The nested objective of the iteration before.

  std::optional<std::string> operator()(const IterationReport& iteration) {
    require(fraction >= 0, "the fraction is ", fraction, "; it must not be negative");
    const std::optional<double> before = last;
    last = iteration.nested;
    if (!before || std::abs(*before - iteration.nested) > fraction * std::abs(*before))
      return std::nullopt;
    return text("the nested objective changed by less than ", fraction, " of itself");
  }
};
static_assert(StoppingRule<RelativeChange>);

} // namespace parmac
