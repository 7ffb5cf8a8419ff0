// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/core/submodels.hpp"
#include "parmac/support/random.hpp"

namespace parmac::tests {

// A nested model so small that MAC can be written out by hand: y = A z, z = W x, with D inputs,
// H hidden values and K outputs, all linear, so that the W step (least squares) and the Z step have
// closed forms. The penalised objective is 1/2 |y - A z|^2 + mu/2 |z - W x|^2 over all points.
inline constexpr std::size_t D = 3, H = 2, K = 2;

struct LinearPoint {
  std::array<double, D> x{};
  std::array<double, K> y{};
  std::array<double, H> z{};
};
using LinearShard = std::vector<LinearPoint>;

/// Points of a noisy, not quite linear function, with coordinates anywhere.
inline LinearShard linear_points(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed);
  LinearShard points(count);
  for (LinearPoint& p : points) {
    for (double& x : p.x) x = random.normal();
    for (double& z : p.z) z = random.normal();
    p.y = {p.x[0] - 2 * p.x[1] + 0.3 * random.normal(), std::sin(p.x[2]) + 0.3 * random.normal()};
  }
  return points;
}

/// Solves G w = r for a positive definite G (N x N, by rows) without pivoting.
template <std::size_t N>
std::array<double, N> solved(std::array<double, N * N> G, std::array<double, N> r) {
  for (std::size_t k = 0; k < N; ++k)
    for (std::size_t i = k + 1; i < N; ++i) {
      const double factor = G[i * N + k] / G[k * N + k];
      for (std::size_t j = k; j < N; ++j) G[i * N + j] -= factor * G[k * N + j];
      r[i] -= factor * r[k];
    }
  for (std::size_t k = N; k-- > 0;) {
    for (std::size_t j = k + 1; j < N; ++j) r[k] -= G[k * N + j] * r[j];
    r[k] /= G[k * N + k];
  }
  return r;
}

/// The sums that least squares of one unit needs: sum of u u' and of t u.
template <std::size_t N>
struct UnitSums {
  std::array<double, N * N> G{};
  std::array<double, N> r{};
  void add(const std::array<double, N>& u, double t) {
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) G[i * N + j] += u[i] * u[j];
      r[i] += t * u[i];
    }
  }
};

struct LinearWeights {
  std::array<std::array<double, D>, H> W{};
  std::array<std::array<double, H>, K> A{};

  [[nodiscard]] std::array<double, H> hidden(const std::array<double, D>& x) const {
    std::array<double, H> f{};
    for (std::size_t h = 0; h < H; ++h)
      for (std::size_t d = 0; d < D; ++d) f[h] += W[h][d] * x[d];
    return f;
  }
  [[nodiscard]] double misfit(const std::array<double, H>& z,
                              const std::array<double, K>& y) const {
    double sum = 0;
    for (std::size_t k = 0; k < K; ++k) {
      double out = 0;
      for (std::size_t h = 0; h < H; ++h) out += A[k][h] * z[h];
      sum += (y[k] - out) * (y[k] - out);
    }
    return sum / 2;
  }
};

inline double distance(const std::array<double, H>& a, const std::array<double, H>& b) {
  double sum = 0;
  for (std::size_t h = 0; h < H; ++h) sum += (a[h] - b[h]) * (a[h] - b[h]);
  return sum;
}

/// z = (A'A + mu I)^-1 (A'y + mu f), the minimiser of the penalised objective of one point.
inline std::array<double, H> best_coordinates(const LinearWeights& w,
                                              const std::array<double, K>& y,
                                              const std::array<double, H>& f, double mu) {
  std::array<double, H * H> G{};
  std::array<double, H> r{};
  for (std::size_t i = 0; i < H; ++i) {
    for (std::size_t j = 0; j < H; ++j)
      for (std::size_t k = 0; k < K; ++k) G[i * H + j] += w.A[k][i] * w.A[k][j];
    G[i * H + i] += mu;
    for (std::size_t k = 0; k < K; ++k) r[i] += w.A[k][i] * y[k];
    r[i] += mu * f[i];
  }
  return solved<H>(G, r);
}

/// The model as Submodels: H units of the hidden layer, then K of the output layer, each by exact
/// least squares from statistics that go round the ring.
class LinearModel {
public:
  using shard_type = LinearShard;

  [[nodiscard]] std::size_t size() const { return H + K; }
  [[nodiscard]] std::vector<SubmodelRange> kinds() const { return {{0, H}, {H, H + K}}; }
  [[nodiscard]] SubmodelRange output_layer() const { return {H, H + K}; }

  std::span<double> parameters(SubmodelRange r) {
    return std::span(numbers_).subspan(weights_at(r.first),
                                       weights_at(r.last) - weights_at(r.first));
  }
  std::span<double> statistics(SubmodelRange r) {
    return std::span(sums_).subspan(sums_at(r.first), sums_at(r.last) - sums_at(r.first));
  }
  void train(SubmodelRange r, const LinearShard& shard, const Visit& visit) {
    if (visit.first())
      for (double& sum : statistics(r)) sum = 0;
    for (std::size_t m = r.first; m < r.last; ++m)
      for (const LinearPoint& p : shard)
        m < H ? add<D>(m, p.x, p.z[m]) : add<H>(m, p.z, p.y[m - H]);
  }
  void finish(SubmodelRange r) {
    for (std::size_t m = r.first; m < r.last; ++m) m < H ? solve<D>(m) : solve<H>(m);
  }
  [[nodiscard]] LinearWeights weights() const {
    LinearWeights w;
    for (std::size_t h = 0; h < H; ++h)
      for (std::size_t d = 0; d < D; ++d) w.W[h][d] = numbers_[weights_at(h) + d];
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t h = 0; h < H; ++h) w.A[k][h] = numbers_[weights_at(H + k) + h];
    return w;
  }
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }

private:
  static constexpr std::size_t weights_at(std::size_t m) {
    return m <= H ? m * D : H * D + (m - H) * H;
  }
  static constexpr std::size_t sums_at(std::size_t m) {
    return m <= H ? m * (D * D + D) : H * (D * D + D) + (m - H) * (H * H + H);
  }
  template <std::size_t N>
  void add(std::size_t m, const std::array<double, N>& u, double t) {
    double* G = &sums_[sums_at(m)];
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) G[i * N + j] += u[i] * u[j];
      G[N * N + i] += t * u[i];
    }
  }
  template <std::size_t N>
  void solve(std::size_t m) {
    std::array<double, N * N> G{};
    std::array<double, N> r{};
    std::copy_n(&sums_[sums_at(m)], N * N, G.begin());
    std::copy_n(&sums_[sums_at(m) + N * N], N, r.begin());
    std::copy_n(solved<N>(G, r).begin(), N, &numbers_[weights_at(m)]);
  }

  std::vector<double> numbers_ = std::vector<double>(H * D + K * H, 0.1);
  std::vector<double> sums_ = std::vector<double>(H * (D * D + D) + K * (H * H + H), 0);
};
static_assert(Submodels<LinearModel>);

/// The exact Z step of LinearModel.
struct LinearStep {
  CoordinateReport update(const LinearModel& model, LinearShard& shard, double mu) {
    const LinearWeights w = model.weights();
    CoordinateReport report;
    for (LinearPoint& p : shard) {
      const std::array<double, H> f = w.hidden(p.x);
      report.before += w.misfit(p.z, p.y) + mu / 2 * distance(p.z, f);
      const std::array<double, H> z = best_coordinates(w, p.y, f, mu);
      if (z != p.z) ++report.changed;
      p.z = z;
      report.objective += w.misfit(p.z, p.y) + mu / 2 * distance(p.z, f);
      report.nested += w.misfit(f, p.y);
      report.violation += distance(p.z, f);
    }
    return report;
  }
  CoordinateReport project(const LinearModel& model, LinearShard& shard) {
    const LinearWeights w = model.weights();
    CoordinateReport report;
    for (LinearPoint& p : shard) {
      p.z = w.hidden(p.x);
      report.nested += w.misfit(p.z, p.y);
    }
    return report;
  }
};
static_assert(CoordinateStep<LinearStep, LinearModel>);

/// Serial MAC written out: no ring, no submodels, no trainer. The oracle.
struct SerialMac {
  LinearWeights w;
  std::vector<double> objectives; // after each Z step
  double final_nested = 0;

  SerialMac(LinearShard& points, std::span<const double> penalties) {
    for (const double mu : penalties) {
      fit_hidden_layer(points);
      fit_output_layer(points);
      double objective = 0;
      for (LinearPoint& p : points) {
        const std::array<double, H> f = w.hidden(p.x);
        p.z = best_coordinates(w, p.y, f, mu);
        objective += w.misfit(p.z, p.y) + mu / 2 * distance(p.z, f);
      }
      objectives.push_back(objective);
    }
    fit_hidden_layer(points); // all layers learn from the last coordinates ...
    for (LinearPoint& p : points) p.z = w.hidden(p.x);
    fit_output_layer(points); // ... and the output layer from what the hidden one says
    for (const LinearPoint& p : points) final_nested += w.misfit(p.z, p.y);
  }

private:
  void fit_hidden_layer(const LinearShard& points) {
    for (std::size_t h = 0; h < H; ++h) {
      UnitSums<D> sums;
      for (const LinearPoint& p : points) sums.add(p.x, p.z[h]);
      w.W[h] = solved<D>(sums.G, sums.r);
    }
  }
  void fit_output_layer(const LinearShard& points) {
    for (std::size_t k = 0; k < K; ++k) {
      UnitSums<H> sums;
      for (const LinearPoint& p : points) sums.add(p.z, p.y[k]);
      w.A[k] = solved<H>(sums.G, sums.r);
    }
  }
};

} // namespace parmac::tests
