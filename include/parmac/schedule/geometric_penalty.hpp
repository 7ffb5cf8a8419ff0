// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>

#include "parmac/core/penalty_schedule.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// mu_i = mu_0 a^i: the schedule of the ParMAC paper's experiments.
class GeometricPenalty {
public:
  /// @param first mu_0 > 0. @param factor a >= 1. @throws ConfigError
  explicit GeometricPenalty(double first = 1e-4, double factor = 1.4)
      : first_(first), factor_(factor) {
    require(first > 0 && std::isfinite(first), "the first penalty is ", first,
            "; it must be positive and finite");
    require(factor >= 1 && std::isfinite(factor), "the penalty's factor is ", factor,
            "; it must be at least 1, since a falling penalty would let go of what was reached");
  }
  double operator()(int iteration) const { return first_ * std::pow(factor_, iteration); }

private:
  double first_;
  double factor_;
};
static_assert(PenaltySchedule<GeometricPenalty>);

} // namespace parmac
