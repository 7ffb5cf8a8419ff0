// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/models/svm_reduction/model.hpp"

namespace parmac {

/// The quadratic programme of one point: to minimise over z
///   C sum_k max(0, 1 - y_k (w_k'z + b_k)) + mu/2 |z - f|^2.
/// By its dual, a variable alpha_k from 0 to C a hinge, with z = f + sum_k alpha_k y_k w_k / mu:
/// each in turn takes its best value, until none moves. With one hinge the first step is the answer
/// in closed form. Source of that: "The role of dimensionality reduction in classification".
class HingeProblem {
public:
  /// @param W L x K, b K: the SVMs.
  HingeProblem(Eigen::MatrixXd W, Eigen::VectorXd b, double C)
      : W_(std::move(W)), b_(std::move(b)), sizes_(W_.colwise().squaredNorm()), C_(C) {}

  /// The objective at z; y holds +1 and -1.
  [[nodiscard]] double objective(const Eigen::VectorXd& z, const Eigen::VectorXd& f,
                                 const Eigen::VectorXd& y, double mu) const {
    return hinges(z, y) + mu / 2 * (z - f).squaredNorm();
  }
  /// C times the sum of the hinges alone.
  [[nodiscard]] double hinges(const Eigen::VectorXd& z, const Eigen::VectorXd& y) const {
    const Eigen::VectorXd margins = y.cwiseProduct(W_.transpose() * z + b_);
    return C_ * (1 - margins.array()).max(0.0).sum();
  }

  /// The minimiser, to some 1e-12 of C. O(K L) a sweep, at most `sweeps`.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& f, const Eigen::VectorXd& y, double mu,
                                      int sweeps = 2000) const {
    Eigen::VectorXd z = f;
    Eigen::VectorXd alpha = Eigen::VectorXd::Zero(b_.size());
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      double largest = 0;
      for (Index k = 0; k < b_.size(); ++k) {
        if (!(sizes_(k) > 0)) continue;
        const double lack = 1 - y(k) * (W_.col(k).dot(z) + b_(k));
        const double better = std::clamp(alpha(k) + lack * mu / sizes_(k), 0.0, C_);
        const double change = better - alpha(k);
        if (change == 0) continue;
        alpha(k) = better;
        z += change * y(k) / mu * W_.col(k);
        largest = std::max(largest, std::abs(change));
      }
      if (largest <= 1e-12 * C_ || b_.size() == 1) break;
    }
    return z;
  }

private:
  Eigen::MatrixXd W_;
  Eigen::VectorXd b_;
  Eigen::VectorXd sizes_;
  double C_;
};

/// The Z step of dimension reduction with SVMs: a small quadratic programme a point. The objective
/// never rises. Models CoordinateStep.
class ReductionCoordinates {
public:
  /// @throws ShapeError, DataError
  CoordinateReport update(const SvmReduction& model, ReductionShard& shard, double mu) const {
    return run(model, shard,
               [&](const HingeProblem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& y,
                   Eigen::VectorXd& z) {
                 const double before = problem.objective(z, f, y, mu);
                 // Coordinates are kept as floats, so what is compared is what will be kept.
                 const Eigen::VectorXd found = problem.solve(f, y, mu).cast<float>().cast<double>();
                 const double after = problem.objective(found, f, y, mu);
                 if (after < before) z = found;
                 return std::pair{before, std::min(before, after)};
               });
  }

  /// Z = F(X). @throws ShapeError, DataError
  CoordinateReport project(const SvmReduction& model, ReductionShard& shard) const {
    return run(model, shard,
               [&](const HingeProblem& problem, const Eigen::VectorXd& f, const Eigen::VectorXd& y,
                   Eigen::VectorXd& z) {
                 const double before = problem.hinges(z, y);
                 z = f;
                 return std::pair{before, problem.hinges(z, y)};
               });
  }

private:
  template <class Solve>
  static CoordinateReport run(const SvmReduction& model, ReductionShard& shard, Solve&& solve) {
    model.require_matching(shard);
    const Index L = model.dimensions();
    const HingeProblem problem(model.svms().topRows(L).cast<double>(),
                               model.svms().row(L).transpose().cast<double>(), model.settings().C);
    CoordinateReport report;
    constexpr Index block = 1024;
    Eigen::MatrixXf X;
    Eigen::VectorXd y(model.svms().cols());
    for (Index first = 0; first < shard.size(); first += block) {
      X.resize(shard.points.dimension(), std::min(block, shard.size() - first));
      shard.points.load(first, X);
      const Eigen::MatrixXf F = model.reduce(X);
      for (Index j = 0; j < X.cols(); ++j) {
        for (Index k = 0; k < y.size(); ++k)
          y(k) = static_cast<double>(
              model.wanted(k, shard.labels[static_cast<std::size_t>(first + j)]));
        const Eigen::VectorXd f = F.col(j).cast<double>();
        const Eigen::VectorXf old = shard.Z.col(first + j);
        Eigen::VectorXd z = old.cast<double>();
        const auto [before, after] = solve(problem, f, y, z);
        shard.Z.col(first + j) = z.cast<float>();
        report.before += before;
        report.objective += after;
        report.nested += problem.hinges(f, y);
        report.violation += (z - f).squaredNorm();
        report.changed += old == shard.Z.col(first + j) ? 0 : 1;
      }
    }
    return report;
  }
};
static_assert(CoordinateStep<ReductionCoordinates, SvmReduction>);

} // namespace parmac
