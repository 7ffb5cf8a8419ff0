// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <parmac/core/coordinate_step.hpp>
#include <parmac/core/submodels.hpp>

struct Points {
  std::vector<double> x;
  [[nodiscard]] std::size_t size() const { return x.size(); }
};

/// Three submodels, each the mean of all points: sums travel, and are divided at the end.
class Means {
public:
  using shard_type = Points;
  [[nodiscard]] std::size_t size() const { return mean_.size(); }
  std::span<double> parameters(parmac::SubmodelRange range);
  std::span<double> statistics(parmac::SubmodelRange range);
  void train(parmac::SubmodelRange range, const Points& points, const parmac::Visit& visit);
  void finish(parmac::SubmodelRange range);

private:
  std::vector<double> mean_ = std::vector<double>(3, 0.0);
  std::vector<double> sum_and_count_ = std::vector<double>(6, 0.0);
};

struct Distances {
  parmac::CoordinateReport update(const Means& model, Points& points, double mu);
};
