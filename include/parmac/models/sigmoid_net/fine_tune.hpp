// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "parmac/models/sigmoid_net/net.hpp"
#include "parmac/solvers/minibatches.hpp"

namespace parmac {

/// Settings of backpropagation.
struct FineTuneSettings {
  int epochs = 1;
  double step = 0.1;     ///< Step size, of the mean over a minibatch.
  double momentum = 0.9; ///< Share of the last move that is made again.
  Index minibatch = 100;
  std::uint64_t seed = 1;

  /// @throws ConfigError
  void validate() const {
    require(epochs >= 0, "epochs is ", epochs, "; it must not be negative");
    require(step > 0 && std::isfinite(step), "the step size is ", step, "; it must be positive");
    require(momentum >= 0 && momentum < 1, "the momentum is ", momentum,
            "; it must be 0 to below 1");
  }
};

/// The gradient of the mean loss of points X (D x B, scaled) with targets Y (outputs x B), a matrix
/// a layer, without weight decay. O(B times the weights).
[[nodiscard]] inline std::vector<Eigen::MatrixXf>
backpropagate(const SigmoidNet& net, const Eigen::MatrixXf& X, const Eigen::MatrixXf& Y) {
  const std::size_t layers = net.hidden_layers() + 1;
  std::vector<Eigen::MatrixXf> F(layers);
  for (std::size_t k = 0; k < layers; ++k) net.layer(k, k == 0 ? X : F[k - 1], F[k]);
  Eigen::MatrixXf error = F.back();
  if (net.settings().output == NetOutput::softmax) {
    Eigen::MatrixXf rows = error.transpose();
    softmax_rows(rows);
    error = rows.transpose();
  }
  error = (error - Y) / static_cast<float>(X.cols());
  std::vector<Eigen::MatrixXf> gradients(layers);
  for (std::size_t k = layers; k-- > 0;) {
    const Eigen::MatrixXf& in = k == 0 ? X : F[k - 1];
    gradients[k].resize(in.rows() + 1, error.rows());
    gradients[k].topRows(in.rows()).noalias() = in * error.transpose();
    gradients[k].row(in.rows()) = error.rowwise().sum().transpose();
    if (k == 0) break;
    const Eigen::MatrixXf back = net.weights(k).topRows(in.rows()) * error;
    error = back.binaryExpr(
        in, [a = net.activation(k - 1)](float e, float f) { return e * slope(a, f); });
  }
  return gradients;
}

/// Plain backpropagation: stochastic gradient descent with momentum on the nested objective, over
/// the points of this machine alone. An optional last step after MAC, on one machine, and what MAC
/// is compared with. @throws ConfigError, ShapeError; NumericalError when the weights diverge.
inline void fine_tune(SigmoidNet& net, const NetShard& shard, const FineTuneSettings& settings) {
  settings.validate();
  std::vector<Eigen::MatrixXf> moves;
  for (std::size_t k = 0; k <= net.hidden_layers(); ++k)
    moves.push_back(Eigen::MatrixXf::Zero(net.weights(k).rows(), net.weights(k).cols()));
  Eigen::MatrixXf X, Y, one;
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    RandomStream stream(settings.seed, 0x74756e65, static_cast<std::uint64_t>(epoch));
    for_each_minibatch(
        shard.size(), {settings.minibatch, 4096}, stream, [&](std::span<const Index> which) {
          const auto B = static_cast<Index>(which.size());
          X.resize(net.features(), B);
          shard.points.gather(which, X);
          X *= net.settings().scale;
          Y.resize(net.outputs(), B);
          for (Index j = 0; j < B; ++j) {
            net.load_targets(shard, which[static_cast<std::size_t>(j)], 1, one);
            Y.col(j) = one;
          }
          const std::vector<Eigen::MatrixXf> gradients = backpropagate(net, X, Y);
          for (std::size_t k = 0; k < gradients.size(); ++k) {
            Eigen::MatrixXf& W = net.weights(k);
            const auto decay = static_cast<float>(settings.step * net.settings().lambda);
            moves[k] = static_cast<float>(settings.momentum) * moves[k] -
                       static_cast<float>(settings.step) * gradients[k];
            moves[k].topRows(W.rows() - 1) -= decay * W.topRows(W.rows() - 1);
            W += moves[k];
          }
        });
  }
  for (std::size_t k = 0; k <= net.hidden_layers(); ++k)
    require<NumericalError>(net.weights(k).allFinite(), "backpropagation with step size ",
                            settings.step, " diverges; a smaller one may help");
}

} // namespace parmac
