// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>

#include "parmac/core/stopping_rule.hpp"

namespace parmac {

/// Stops when every coordinate is what the model says (Z = h(X)) to within `tolerance` of
/// constraint violation a point. Binary coordinates get there at a finite penalty.
struct FixedPoint {
  double tolerance = 0;

  std::optional<std::string> operator()(const IterationReport& iteration) const {
    if (iteration.violation > tolerance * iteration.points) return std::nullopt;
    return "all coordinates are what the model says";
  }
};
static_assert(StoppingRule<FixedPoint>);

} // namespace parmac
