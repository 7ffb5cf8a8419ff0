// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "parmac/core/stopping_rule.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// Stops when a score on points kept apart, the larger the better, has not risen above its best for
/// `patience` iterations. The score is asked on every machine after every iteration, when all hold
/// the same model, and must come out the same on each: compute it from the same points everywhere,
/// or sum it over the ring.
class Validation {
public:
  /// @throws ConfigError unless patience >= 1 and there is a score.
  explicit Validation(std::function<double()> score, int patience = 2)
      : score_(std::move(score)), patience_(patience) {
    require(patience >= 1, "the patience is ", patience, " iterations; it must be at least 1");
    require(static_cast<bool>(score_), "validation needs a score");
  }

  std::optional<std::string> operator()(const IterationReport&) {
    const double now = score_();
    waited_ = now > best_ ? 0 : waited_ + 1;
    if (now > best_) best_ = now;
    if (waited_ < patience_) return std::nullopt;
    return text("the validation score has not risen above ", best_, " for ", patience_,
                " iterations");
  }

private:
  std::function<double()> score_;
  int patience_;
  int waited_ = 0;
  double best_ = -std::numeric_limits<double>::infinity();
};
static_assert(StoppingRule<Validation>);

} // namespace parmac
