// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/models/sigmoid_net/point_problem.hpp"
#include "parmac/models/sigmoid_net/start.hpp"
#include "parmac/support/threads.hpp"

namespace parmac {

/// How the Z step of a net minimises.
enum class NetMethod {
  automatic,    ///< Gauss-Newton where all hidden layers have at most 32 units, else gradients.
  gauss_newton, ///< Damped Gauss-Newton, a point at a time: `NetPointProblem`.
  gradient      ///< Gradient steps for a block of points at once, each with its own step size.
};

/// Settings of the Z step of a net.
struct NetCoordinatesSettings {
  NetMethod method = NetMethod::automatic;
  int steps = 5;          ///< Of the method, at most, >= 1.
  bool augmented = false; ///< Augmented Lagrangian instead of the quadratic penalty.
  int threads = 1;
};

/// The Z step of a net: minimises loss + mu/2 sum_k |z_k - f_k(z_{k-1}) + u_k|^2 over the
/// coordinates of every point, never raising it. With `augmented` the multipliers u (over mu) grow
/// by z_k - f_k(z_{k-1}) at the end of each Z step, stay on their machine, and shift the targets of
/// the next W step; the report's objective is the one of before they grow. Results do not depend on
/// the number of threads. Models CoordinateStep.
class NetCoordinates {
public:
  /// @throws ConfigError
  explicit NetCoordinates(NetCoordinatesSettings settings = {}) : settings_(settings) {
    require(settings.steps >= 1 && settings.threads >= 1, "steps and threads are ", settings.steps,
            " and ", settings.threads, "; both must be at least 1");
  }

  /// @throws ShapeError when net and shard do not match.
  CoordinateReport update(const SigmoidNet& net, NetShard& shard, double mu) {
    net.require_matching(shard);
    if (settings_.augmented && shard.U.empty())
      for (const Eigen::MatrixXf& Z : shard.Z)
        shard.U.push_back(Eigen::MatrixXf::Zero(Z.rows(), Z.cols()));
    if (last_mu_ > 0)
      for (Eigen::MatrixXf& U : shard.U) U *= static_cast<float>(last_mu_ / mu);
    last_mu_ = mu;
    return over_blocks(shard.size(), [&](Index first, Index B) {
      Block block(net, shard, first, B, mu);
      CoordinateReport report;
      report.before = block.objective().sum();
      const std::vector<Eigen::MatrixXf> old = block.Z;
      if (chosen(net) == NetMethod::gauss_newton)
        block.gauss_newton(settings_.steps);
      else
        block.descend(settings_.steps);
      report.objective = block.objective().sum();
      report.nested = block.nested();
      report.violation = block.violation();
      report.changed = block.changed(old);
      block.store(shard, settings_.augmented);
      return report;
    });
  }

  /// Z_k = layer k of Z_{k-1}. @throws ShapeError
  CoordinateReport project(const SigmoidNet& net, NetShard& shard) {
    const std::vector<Eigen::MatrixXf> old = shard.Z;
    propagate(net, shard);
    CoordinateReport report = over_blocks(shard.size(), [&](Index first, Index B) {
      Block block(net, shard, first, B, 0);
      CoordinateReport part;
      part.nested = part.objective = block.nested();
      return part;
    });
    for (Index n = 0; n < shard.size(); ++n) {
      bool same = true;
      for (std::size_t k = 0; same && k < old.size(); ++k)
        same = old[k].col(n) == shard.Z[k].col(n);
      report.changed += same ? 0 : 1;
    }
    return report;
  }

  /// What `automatic` stands for.
  [[nodiscard]] NetMethod chosen(const SigmoidNet& net) const {
    if (settings_.method != NetMethod::automatic) return settings_.method;
    for (std::size_t k = 0; k < net.hidden_layers(); ++k)
      if (net.weights(k).cols() > 32) return NetMethod::gradient;
    return NetMethod::gauss_newton;
  }

private:
  static constexpr Index block_points = 256;

  // Some points, whole layers at a time.
  struct Block {
    const SigmoidNet& net;
    double mu;
    Index first;
    Eigen::MatrixXf X, Y, f1;
    std::vector<Eigen::MatrixXf> Z, U; // U: empty, or as Z
    std::vector<Eigen::MatrixXf> R;    // z_k - f_k(z_{k-1}) + u_k where `objective` has been
    std::vector<Eigen::MatrixXf> F;    // f_k, the output last

    Block(const SigmoidNet& model, const NetShard& shard, Index from, Index B, double penalty)
        : net(model),
          mu(penalty),
          first(from),
          R(model.hidden_layers()),
          F(model.hidden_layers() + 1) {
      X.resize(net.features(), B);
      net.load(shard.points, first, X);
      net.load_targets(shard, first, B, Y);
      net.layer(0, X, f1);
      for (const Eigen::MatrixXf& z : shard.Z) Z.push_back(z.middleCols(first, B));
      for (const Eigen::MatrixXf& u : shard.U) U.push_back(u.middleCols(first, B));
    }

    // Of each point; also sets R and F.
    Eigen::ArrayXd objective() {
      Eigen::ArrayXd sums = Eigen::ArrayXd::Zero(X.cols());
      for (std::size_t k = 0; k < Z.size(); ++k) {
        if (k == 0)
          F[0] = f1;
        else
          net.layer(k, Z[k - 1], F[k]);
        R[k] = Z[k] - F[k];
        if (!U.empty()) R[k] += U[k];
        for (Index j = 0; j < X.cols(); ++j)
          sums(j) += mu / 2 * R[k].col(j).cast<double>().squaredNorm();
      }
      net.layer(Z.size(), Z.back(), F.back());
      for (Index j = 0; j < X.cols(); ++j) sums(j) += loss(F.back(), j);
      return sums;
    }

    // Of point j, whose scores become probabilities in a softmax.
    double loss(Eigen::MatrixXf& outputs, Index j) const {
      if (net.settings().output == NetOutput::linear)
        return (Y.col(j) - outputs.col(j)).cast<double>().squaredNorm() / 2;
      auto p = outputs.col(j);
      const float most = p.maxCoeff();
      float sum = 0;
      for (float& one : p) sum += one = std::exp(one - most);
      p /= sum;
      return -std::log(std::max(1e-30, static_cast<double>(p.dot(Y.col(j)))));
    }

    double nested() const {
      Eigen::MatrixXf outputs = net(X);
      double sum = 0;
      for (Index j = 0; j < X.cols(); ++j) sum += loss(outputs, j);
      return sum;
    }
    double violation() const {
      double sum = 0;
      for (std::size_t k = 0; k < Z.size(); ++k) sum += (Z[k] - F[k]).cast<double>().squaredNorm();
      return sum;
    }
    double changed(const std::vector<Eigen::MatrixXf>& old) const {
      double count = 0;
      for (Index j = 0; j < X.cols(); ++j) {
        bool same = true;
        for (std::size_t k = 0; same && k < Z.size(); ++k) same = Z[k].col(j) == old[k].col(j);
        count += same ? 0 : 1;
      }
      return count;
    }

    // Gradient steps with a step size a point, which grows while they succeed.
    void descend(int steps) {
      // Curvature of a layer's coordinates is at most that of their own residual and of the next's.
      std::vector<double> curvature;
      for (std::size_t k = 0; k < Z.size(); ++k) {
        const double slope = steepest(net.activation(k + 1));
        curvature.push_back(
            mu + (k + 1 < Z.size() ? mu * slope * slope : 1.0) *
                     static_cast<double>(net.weights(k + 1).topRows(Z[k].rows()).squaredNorm()));
      }
      Eigen::ArrayXd best = objective();
      Eigen::ArrayXf rate = Eigen::ArrayXf::Ones(X.cols());
      for (int step = 0; step < steps; ++step) {
        std::vector<Eigen::MatrixXf> move = gradient();
        const std::vector<Eigen::MatrixXf> old = Z;
        for (std::size_t k = 0; k < Z.size(); ++k)
          Z[k] -= move[k] * (rate / static_cast<float>(curvature[k])).matrix().asDiagonal();
        const Eigen::ArrayXd here = objective();
        for (Index j = 0; j < X.cols(); ++j) {
          if (here(j) < best(j)) {
            best(j) = here(j);
            rate(j) *= 2;
          } else {
            for (std::size_t k = 0; k < Z.size(); ++k) Z[k].col(j) = old[k].col(j);
            rate(j) /= 4;
          }
        }
        if (step + 1 < steps) objective();
      }
    }

    // Where `objective` has been.
    [[nodiscard]] std::vector<Eigen::MatrixXf> gradient() const {
      std::vector<Eigen::MatrixXf> G(Z.size());
      for (std::size_t k = 0; k < Z.size(); ++k) {
        const Eigen::MatrixXf& W = net.weights(k + 1);
        Eigen::MatrixXf back;
        if (k + 1 < Z.size())
          back = R[k + 1].binaryExpr(F[k + 1], [a = net.activation(k + 1), this](float r, float f) {
            return -static_cast<float>(mu) * r * slope(a, f);
          });
        else
          back = F.back() - Y;
        G[k] = static_cast<float>(mu) * R[k];
        add_grouped_product(1.0F, W.topRows(W.rows() - 1), back, G[k]);
      }
      return G;
    }

    void gauss_newton(int steps) {
      NetPointProblem problem(net);
      std::vector<Eigen::VectorXd> z(Z.size()), u(U.size());
      for (Index j = 0; j < X.cols(); ++j) {
        for (std::size_t k = 0; k < Z.size(); ++k) z[k] = Z[k].col(j).cast<double>();
        for (std::size_t k = 0; k < U.size(); ++k) u[k] = U[k].col(j).cast<double>();
        problem.take(X.col(j).cast<double>(), Y.col(j).cast<double>(), u, mu);
        const double before = problem.objective(z);
        std::vector<Eigen::VectorXd> rounded = z;
        problem.improve(z, steps);
        for (std::size_t k = 0; k < Z.size(); ++k) rounded[k] = z[k].cast<float>().cast<double>();
        if (problem.objective(rounded) < before)
          for (std::size_t k = 0; k < Z.size(); ++k) Z[k].col(j) = z[k].cast<float>();
      }
    }

    void store(NetShard& shard, bool augmented) const {
      for (std::size_t k = 0; k < Z.size(); ++k) {
        shard.Z[k].middleCols(first, X.cols()) = Z[k];
        if (augmented) shard.U[k].middleCols(first, X.cols()) += Z[k] - F[k];
      }
    }
  };

  // A report a block, added up in their order whatever the threads do.
  template <class Work>
  CoordinateReport over_blocks(Index N, Work&& work) const {
    const Index blocks = (N + block_points - 1) / block_points;
    std::vector<CoordinateReport> reports(static_cast<std::size_t>(blocks));
    parallel_for(blocks, settings_.threads, [&](Index begin, Index end) {
      for (Index block = begin; block < end; ++block)
        reports[static_cast<std::size_t>(block)] =
            work(block * block_points, std::min(block_points, N - block * block_points));
    });
    CoordinateReport sum;
    for (const CoordinateReport& one : reports) sum += one;
    return sum;
  }

  NetCoordinatesSettings settings_;
  double last_mu_ = 0;
};
static_assert(CoordinateStep<NetCoordinates, SigmoidNet>);

} // namespace parmac
