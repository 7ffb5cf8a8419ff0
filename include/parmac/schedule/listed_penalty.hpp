// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "parmac/core/penalty_schedule.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// One mu an iteration from a list; after its end the last one goes on. A value may stand several
/// times. With a single value the penalty is constant.
class ListedPenalty {
public:
  /// @throws ConfigError for an empty list, or a value that is not positive, not finite, or below
  /// the one before it.
  explicit ListedPenalty(std::vector<double> values) : values_(std::move(values)) {
    require(!values_.empty(), "the list of penalties is empty; it needs at least one");
    for (std::size_t i = 0; i < values_.size(); ++i) {
      require(values_[i] > 0 && std::isfinite(values_[i]), "penalty ", i, " is ", values_[i],
              "; it must be positive and finite");
      require(i == 0 || values_[i] >= values_[i - 1], "penalty ", i, " is ", values_[i],
              ", less than the one before it, ", i == 0 ? 0.0 : values_[i - 1]);
    }
  }
  double operator()(int iteration) const {
    return values_[std::min(static_cast<std::size_t>(std::max(iteration, 0)), values_.size() - 1)];
  }

private:
  std::vector<double> values_;
};
static_assert(PenaltySchedule<ListedPenalty>);

} // namespace parmac
