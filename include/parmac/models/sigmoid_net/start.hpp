// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "parmac/models/sigmoid_net/net.hpp"
#include "parmac/support/random.hpp"

namespace parmac {

/// Z_k = layer k of Z_{k-1}, for all points; multipliers are forgotten.
/// @throws ShapeError when points and net do not match.
inline void propagate(const SigmoidNet& net, NetShard& shard) {
  shard.U.clear();
  shard.Z.resize(net.hidden_layers());
  for (std::size_t k = 0; k < net.hidden_layers(); ++k)
    shard.Z[k].resize(net.weights(k).cols(), shard.size());
  net.require_matching(shard);
  constexpr Index block = 1024;
  Eigen::MatrixXf in;
  Eigen::MatrixXf out;
  for (Index first = 0; first < shard.size(); first += block) {
    const Index B = std::min(block, shard.size() - first);
    in.resize(net.features(), B);
    net.load(shard.points, first, in);
    for (std::size_t k = 0; k < net.hidden_layers(); ++k) {
      net.layer(k, in, out);
      shard.Z[k].middleCols(first, B) = out;
      in.swap(out);
    }
  }
}

/// Starts a net: normal weights of variance 2 / (inputs + outputs) a layer (16 times that for
/// sigmoids, whose slope is a quarter; Glorot and Bengio, 2010), no biases; the coordinates by
/// forward propagation; and first step sizes of `step_factor` over the curvature, which is at most
/// the steepest slope squared times the mean of |z_{k-1}|^2 + 1. Every machine calls it with its
/// own shard; `all_sum` adds up over them. @throws ShapeError; DataError when no machine has
/// points.
template <class AllSum>
void start(SigmoidNet& net, NetShard& shard, AllSum&& all_sum, std::uint64_t seed = 1) {
  for (std::size_t k = 0; k <= net.hidden_layers(); ++k) {
    Eigen::MatrixXf& W = net.weights(k);
    RandomStream random(seed, 0x6e6574, k);
    const double scale = (net.activation(k) == Activation::sigmoid ? 4 : 1) *
                         std::sqrt(2.0 / static_cast<double>(W.rows() - 1 + W.cols()));
    W.setZero();
    for (float& w : W.topRows(W.rows() - 1).reshaped())
      w = static_cast<float>(scale * random.normal());
  }
  propagate(net, shard);

  std::vector<double> sums(net.hidden_layers() + 2, 0.0); // N, then |z_{k-1}|^2 of each layer
  sums[0] = static_cast<double>(shard.size());
  Eigen::MatrixXf X(net.features(), 1);
  for (Index n = 0; n < shard.size(); ++n) {
    net.load(shard.points, n, X);
    sums[1] += static_cast<double>(X.squaredNorm());
    for (std::size_t k = 0; k < net.hidden_layers(); ++k)
      sums[k + 2] += static_cast<double>(shard.Z[k].col(n).squaredNorm());
  }
  all_sum(std::span<double>(sums));
  require<DataError>(sums[0] > 0, "there are no points to start from");
  for (std::size_t k = 0; k <= net.hidden_layers(); ++k) {
    const double slope = steepest(net.activation(k));
    net.steps()[k] = net.settings().step_factor / (slope * slope * (sums[k + 1] / sums[0] + 1));
  }
}

} // namespace parmac
