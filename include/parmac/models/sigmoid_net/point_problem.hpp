// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "parmac/models/sigmoid_net/net.hpp"

namespace parmac {

/// The Z step's problem of one point: to minimise over z_1 .. z_K
///   loss(y, f_{K+1}(z_K)) + mu/2 sum_k |z_k - f_k(z_{k-1}) + u_k|^2,   z_0 = x,
/// f_k being layer k, and u_k the multipliers over mu, 0 for the quadratic penalty. Steps are
/// damped Gauss-Newton (Levenberg and Marquardt): the normal matrix is block tridiagonal, a block a
/// layer, so that a step costs O(sum of H_k^3 + outputs H_K^2). Holds its own memory: one object a
/// thread.
class NetPointProblem {
public:
  explicit NetPointProblem(const SigmoidNet& net) : net_(net), K_(net.hidden_layers()) {
    for (std::size_t k = 0; k <= K_; ++k) {
      const auto W = net.weights(k).cast<double>();
      W_.push_back(W.topRows(W.rows() - 1));
      b_.push_back(W.row(W.rows() - 1).transpose());
    }
    if (!softmax()) output_normal_ = W_[K_] * W_[K_].transpose();
    f_.resize(K_ + 1);
    blocks_.resize(K_);
    factors_.resize(K_);
    step_.resize(K_);
  }

  /// The point: x (D), y (outputs), multipliers over mu (none: empty), and mu.
  void take(Eigen::VectorXd x, Eigen::VectorXd y, std::vector<Eigen::VectorXd> u, double mu) {
    x_ = std::move(x);
    y_ = std::move(y);
    u_ = std::move(u);
    mu_ = mu;
    first_ = layer(0, x_); // the same whatever z is
  }

  /// The objective at z. O(weights beyond the first layer)
  [[nodiscard]] double objective(const std::vector<Eigen::VectorXd>& z) {
    forward(z);
    double sum = loss();
    for (std::size_t k = 0; k < K_; ++k) sum += mu_ / 2 * residual(z, k).squaredNorm();
    return sum;
  }

  /// The gradient at z, a vector a layer.
  [[nodiscard]] std::vector<Eigen::VectorXd> gradient(const std::vector<Eigen::VectorXd>& z) {
    forward(z);
    std::vector<Eigen::VectorXd> g(K_);
    for (std::size_t k = 0; k < K_; ++k) {
      g[k] = mu_ * residual(z, k);
      if (k + 1 < K_)
        g[k] -= mu_ * (W_[k + 1] * residual(z, k + 1).cwiseProduct(slopes(k + 1)));
      else
        g[k] += W_[K_] * output_error();
    }
    return g;
  }

  /// At most `steps` damped steps from z; z is left where the objective is lowest, never above
  /// where it began. Returns that objective.
  double improve(std::vector<Eigen::VectorXd>& z, int steps) {
    double best = objective(z);
    double damping = 1e-3 * mu_;
    std::vector<Eigen::VectorXd> trial(K_);
    for (int step = 0; step < steps; ++step) {
      const std::vector<Eigen::VectorXd> g = gradient(z);
      double size = 0;
      for (const auto& part : g) size += part.squaredNorm();
      if (!(size > 1e-24 * (1 + best))) break;
      normal_blocks();
      bool better = false;
      for (int attempt = 0; attempt < 8 && !better; ++attempt) {
        solve(g, damping);
        for (std::size_t k = 0; k < K_; ++k) trial[k] = z[k] - step_[k];
        const double here = objective(trial);
        better = here < best;
        if (better) {
          best = here;
          z.swap(trial);
          damping = std::max(damping / 5, 1e-9 * mu_);
        } else {
          damping = std::max(damping * 8, 1e-3 * mu_);
        }
      }
      if (!better) break;
    }
    return best;
  }

private:
  [[nodiscard]] bool softmax() const { return net_.settings().output == NetOutput::softmax; }

  [[nodiscard]] Eigen::VectorXd layer(std::size_t k, const Eigen::VectorXd& z) const {
    Eigen::VectorXd f = W_[k].transpose() * z + b_[k];
    activate(net_.activation(k), f);
    return f;
  }
  void forward(const std::vector<Eigen::VectorXd>& z) {
    f_[0] = first_;
    for (std::size_t k = 1; k <= K_; ++k) f_[k] = layer(k, z[k - 1]);
    if (softmax()) {
      f_[K_] = (f_[K_].array() - f_[K_].maxCoeff()).exp();
      f_[K_] /= f_[K_].sum();
    }
  }
  [[nodiscard]] double loss() const {
    if (softmax()) return -std::log(std::max(1e-300, f_[K_].dot(y_)));
    return (y_ - f_[K_]).squaredNorm() / 2;
  }
  [[nodiscard]] Eigen::VectorXd output_error() const { return f_[K_] - y_; } // for either loss
  [[nodiscard]] Eigen::VectorXd residual(const std::vector<Eigen::VectorXd>& z,
                                         std::size_t k) const {
    if (u_.empty()) return z[k] - f_[k];
    return z[k] - f_[k] + u_[k];
  }
  [[nodiscard]] Eigen::VectorXd slopes(std::size_t k) const {
    return f_[k].unaryExpr([a = net_.activation(k)](double f) { return slope(a, f); });
  }

  // Gauss-Newton's normal matrix where `forward` has been: diagonal blocks, and J_{k+1} in between.
  void normal_blocks() {
    jacobians_.resize(K_);
    for (std::size_t k = 0; k < K_; ++k) {
      const Index H = W_[k].cols();
      if (k + 1 < K_) {
        jacobians_[k] = slopes(k + 1).asDiagonal() * W_[k + 1].transpose();
        blocks_[k] = mu_ * (jacobians_[k].transpose() * jacobians_[k]);
      } else if (softmax()) {
        const Eigen::VectorXd p = f_[K_];
        const Eigen::VectorXd mean = W_[K_] * p;
        blocks_[k] = W_[K_] * p.asDiagonal() * W_[K_].transpose() - mean * mean.transpose();
      } else {
        blocks_[k] = output_normal_;
      }
      blocks_[k] += mu_ * Eigen::MatrixXd::Identity(H, H);
    }
  }

  // step = (normal + damping)^-1 g by block elimination from the first layer up.
  void solve(const std::vector<Eigen::VectorXd>& g, double damping) {
    std::vector<Eigen::VectorXd> rest = g;
    for (std::size_t k = 0; k < K_; ++k) {
      Eigen::MatrixXd S = blocks_[k];
      S.diagonal().array() += damping;
      if (k > 0) {
        const Eigen::MatrixXd& J = jacobians_[k - 1]; // the block below the diagonal is -mu J
        S -= mu_ * mu_ * (J * factors_[k - 1].solve(J.transpose()));
        rest[k] += mu_ * (J * factors_[k - 1].solve(rest[k - 1]));
      }
      factors_[k].compute(S);
    }
    for (std::size_t k = K_; k-- > 0;) {
      if (k + 1 < K_) rest[k] += mu_ * (jacobians_[k].transpose() * step_[k + 1]);
      step_[k] = factors_[k].solve(rest[k]);
    }
  }

  const SigmoidNet& net_;
  std::size_t K_;
  std::vector<Eigen::MatrixXd> W_; // H_{k-1} x H_k
  std::vector<Eigen::VectorXd> b_;
  Eigen::MatrixXd output_normal_;
  Eigen::VectorXd x_, y_, first_;
  std::vector<Eigen::VectorXd> u_;
  double mu_ = 1;
  std::vector<Eigen::VectorXd> f_;         // f_k of z, the output last
  std::vector<Eigen::MatrixXd> jacobians_; // of f_{k+1}
  std::vector<Eigen::MatrixXd> blocks_;
  std::vector<Eigen::LDLT<Eigen::MatrixXd>> factors_;
  std::vector<Eigen::VectorXd> step_;
};

} // namespace parmac
