// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/models/rbf_autoencoder/model.hpp"
#include "parmac/support/threads.hpp"

namespace parmac {

/// The Z step's problem of one point: to minimise |u - f(z)|^2 + mu |z - F|^2 over z in L
/// dimensions, f being an RBF network, by damped Gauss-Newton steps. O(D (centres + L^2)) a step.
class RbfPointProblem {
public:
  explicit RbfPointProblem(const RbfAutoencoder& model)
      : centres_(model.centres().cast<double>()),
        rate_(1 / (model.width() * model.width())),
        B_(model.decoder().weights().topRows(centres_.cols()).transpose().cast<double>()),
        b_(model.decoder().weights().row(centres_.cols()).transpose().cast<double>()) {}

  /// The objective at z; u is the scaled point, F what the encoder says.
  [[nodiscard]] double objective(const Eigen::VectorXd& z, const Eigen::VectorXd& u,
                                 const Eigen::VectorXd& F, double mu) const {
    return (u - b_ - B_ * psi(z)).squaredNorm() + mu * (z - F).squaredNorm();
  }

  /// At most `steps` steps from z, none of which raises the objective; returns it.
  double improve(Eigen::VectorXd& z, const Eigen::VectorXd& u, const Eigen::VectorXd& F, double mu,
                 int steps) const {
    double best = objective(z, u, F, mu);
    double damping = 1e-3 * mu;
    for (int step = 0; step < steps; ++step) {
      const Eigen::VectorXd p = psi(z);
      // d psi_k / dz = -psi_k (z - c_k) / width^2
      const Eigen::MatrixXd slopes = p.asDiagonal() * (centres_.colwise() - z).transpose() * rate_;
      const Eigen::MatrixXd J = B_ * slopes;
      const Eigen::VectorXd g = mu * (z - F) - J.transpose() * (u - b_ - B_ * p);
      const Eigen::MatrixXd H =
          J.transpose() * J + mu * Eigen::MatrixXd::Identity(z.size(), z.size());
      bool better = false;
      for (int attempt = 0; attempt < 8 && !better; ++attempt) {
        const Eigen::MatrixXd damped = H + damping * Eigen::MatrixXd::Identity(z.size(), z.size());
        const Eigen::VectorXd trial = z - damped.llt().solve(g);
        const double here = objective(trial, u, F, mu);
        better = here < best;
        if (better) {
          best = here;
          z = trial;
          damping = std::max(damping / 5, 1e-9 * mu);
        } else {
          damping = std::max(damping * 8, 1e-3 * mu);
        }
      }
      if (!better) break;
    }
    return best;
  }

private:
  [[nodiscard]] Eigen::VectorXd psi(const Eigen::VectorXd& z) const {
    return (-rate_ / 2 * (centres_.colwise() - z).colwise().squaredNorm().array())
        .exp()
        .matrix()
        .transpose();
  }

  Eigen::MatrixXd centres_; // L x centres
  double rate_;
  Eigen::MatrixXd B_;
  Eigen::VectorXd b_;
};

/// The Z step of the RBF autoencoder, a small nonlinear least-squares problem a point. The
/// objective never rises; results do not depend on the number of threads. Models CoordinateStep.
class RbfCoordinates {
public:
  /// @throws ConfigError unless steps >= 1 and threads >= 1.
  explicit RbfCoordinates(int steps = 10, int threads = 1) : steps_(steps), threads_(threads) {
    require(steps >= 1 && threads >= 1, "steps and threads are ", steps, " and ", threads,
            "; both must be at least 1");
  }

  /// @throws ShapeError
  CoordinateReport update(const RbfAutoencoder& model, RbfShard& shard, double mu) const {
    return run(model, shard, mu,
               [&](const RbfPointProblem& problem, Eigen::VectorXd& z, const Eigen::VectorXd& u,
                   const Eigen::VectorXd& F) {
                 const Eigen::VectorXd old = z;
                 problem.improve(z, u, F, mu, steps_);
                 // Coordinates are kept as floats, so those are compared.
                 z = z.cast<float>().cast<double>().eval();
                 if (!(problem.objective(z, u, F, mu) < problem.objective(old, u, F, mu))) z = old;
               });
  }

  /// Z = F(X). @throws ShapeError
  CoordinateReport project(const RbfAutoencoder& model, RbfShard& shard) const {
    return run(model, shard, 0,
               [](const RbfPointProblem&, Eigen::VectorXd& z, const Eigen::VectorXd&,
                  const Eigen::VectorXd& F) { z = F; });
  }

private:
  template <class Solve>
  CoordinateReport run(const RbfAutoencoder& model, RbfShard& shard, double mu,
                       Solve&& solve) const {
    model.require_matching(shard);
    std::vector<CoordinateReport> reports(
        static_cast<std::size_t>(shard.size() / Scaling::block_points + 1));
    model.scaling().for_each_block(
        shard.points, threads_, [&](Index first, const Eigen::MatrixXf& U) {
          const RbfPointProblem problem(model);
          const Eigen::MatrixXf encoded = model.encode(U);
          CoordinateReport& report =
              reports[static_cast<std::size_t>(first / Scaling::block_points)];
          for (Index j = 0; j < U.cols(); ++j) {
            const Eigen::VectorXd u = U.col(j).cast<double>();
            const Eigen::VectorXd F = encoded.col(j).cast<double>();
            const Eigen::VectorXf old = shard.Z.col(first + j);
            Eigen::VectorXd z = old.cast<double>();
            report.before += problem.objective(z, u, F, mu);
            solve(problem, z, u, F);
            report.objective += problem.objective(z, u, F, mu);
            report.nested += problem.objective(F, u, F, mu);
            report.violation += (z - F).squaredNorm();
            shard.Z.col(first + j) = z.cast<float>();
            report.changed += shard.Z.col(first + j) == old ? 0 : 1;
          }
        });
    CoordinateReport sum;
    for (const CoordinateReport& one : reports) sum += one;
    return sum;
  }

  int steps_;
  int threads_;
};
static_assert(CoordinateStep<RbfCoordinates, RbfAutoencoder>);

} // namespace parmac
