// SPDX-License-Identifier: BSL-1.0
#pragma once

// The least nested model that learns something: y = b z with z = a x, all of them numbers. The
// how-to pages watch, schedule and check it.

#include <cstddef>
#include <span>
#include <vector>

#include "parmac/parmac.hpp"

struct ChainShard {
  std::vector<double> x, y, z; // of the same size; z are the coordinates
  [[nodiscard]] std::size_t size() const { return x.size(); }
  friend bool operator==(const ChainShard&, const ChainShard&) = default;
};

struct Chain {
  using shard_type = ChainShard;
  std::vector<double> weights = {1, 1}; // a and b

  [[nodiscard]] std::size_t size() const { return 2; }
  [[nodiscard]] std::vector<parmac::SubmodelRange> kinds() const { return {{0, 1}, {1, 2}}; }
  [[nodiscard]] parmac::SubmodelRange output_layer() const { return {1, 2}; }
  std::span<double> parameters(parmac::SubmodelRange r) {
    return std::span(weights).subspan(r.first, r.size());
  }
  void train(parmac::SubmodelRange r, const ChainShard& s, const parmac::Visit&) {
    double& w = weights[r.first];
    const auto& from = r.first == 0 ? s.x : s.z;
    const auto& to = r.first == 0 ? s.z : s.y;
    for (std::size_t n = 0; n < s.size(); ++n) w -= 0.1 * (w * from[n] - to[n]) * from[n];
  }
};

// Each z minimises (y - b z)^2 + mu (z - a x)^2, whose derivative is linear in z.
struct ChainStep {
  parmac::CoordinateReport update(const Chain& model, ChainShard& s, double mu) const {
    const double a = model.weights[0], b = model.weights[1];
    parmac::CoordinateReport report;
    for (std::size_t n = 0; n < s.size(); ++n) {
      const double forward = a * s.x[n];
      const auto cost = [&](double z) {
        return (s.y[n] - b * z) * (s.y[n] - b * z) + mu * (z - forward) * (z - forward);
      };
      const double before = s.z[n];
      s.z[n] = (b * s.y[n] + mu * forward) / (b * b + mu);
      report.before += cost(before);
      report.objective += cost(s.z[n]);
      report.nested += (s.y[n] - b * forward) * (s.y[n] - b * forward);
      report.violation += (s.z[n] - forward) * (s.z[n] - forward);
      report.changed += s.z[n] != before ? 1 : 0;
    }
    return report;
  }

  parmac::CoordinateReport project(const Chain& model, ChainShard& s) const {
    const double a = model.weights[0], b = model.weights[1];
    parmac::CoordinateReport report;
    for (std::size_t n = 0; n < s.size(); ++n) {
      const double forward = a * s.x[n];
      report.nested += (s.y[n] - b * forward) * (s.y[n] - b * forward);
      report.changed += s.z[n] != forward ? 1 : 0;
      s.z[n] = forward;
    }
    report.before = report.objective = report.nested;
    return report;
  }
};

// Points of y = 3 x, another lot on each machine.
inline ChainShard chain_points(int rank, std::size_t count) {
  ChainShard s;
  parmac::RandomStream random(5, static_cast<std::uint64_t>(rank));
  for (std::size_t n = 0; n < count; ++n) {
    s.x.push_back(random.normal());
    s.y.push_back(3 * s.x.back());
    s.z.push_back(s.x.back() + 0.5 * random.normal()); // a rough guess
  }
  return s;
}
