// SPDX-License-Identifier: BSL-1.0
#include "means.hpp"

std::span<double> Means::parameters(parmac::SubmodelRange range) {
  return std::span(mean_).subspan(range.first, range.size());
}

std::span<double> Means::statistics(parmac::SubmodelRange range) {
  return std::span(sum_and_count_).subspan(2 * range.first, 2 * range.size());
}

void Means::train(parmac::SubmodelRange range, const Points& points, const parmac::Visit& visit) {
  for (std::size_t i = range.first; i < range.last; ++i) {
    double& sum = sum_and_count_[2 * i];
    double& count = sum_and_count_[2 * i + 1];
    if (visit.first()) sum = count = 0;
    for (const double x : points.x) sum += x;
    count += static_cast<double>(points.size());
  }
}

void Means::finish(parmac::SubmodelRange range) {
  for (std::size_t i = range.first; i < range.last; ++i)
    mean_[i] = sum_and_count_[2 * i] / sum_and_count_[2 * i + 1];
}

parmac::CoordinateReport Distances::update(const Means&, Points& points, double) {
  return {.objective = static_cast<double>(points.size())};
}
