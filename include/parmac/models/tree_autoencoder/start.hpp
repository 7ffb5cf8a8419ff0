// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <span>

#include "parmac/models/binary_autoencoder/start.hpp"
#include "parmac/models/tree_autoencoder/model.hpp"

namespace parmac {

/// Starts an autoencoder of trees from the points of all machines: the scaling and the first codes
/// are those of the binary autoencoder's start (`settings`; tPCA or ITQ); bins reach 2.5 standard
/// deviations of a feature to either side of its mean. `all_sum` adds up over all machines.
/// @throws ConfigError when L > D; DataError when no machine has points; NumericalError when points
/// are not finite.
template <class AllSum>
void start(TreeAutoencoder& model, BinaryShard& shard, AllSum&& all_sum,
           const BinaryStartSettings& settings = {}) {
  const Index D = model.features();
  BinaryAutoencoder linear(D, model.bits());
  start(linear, shard, all_sum, settings);

  // Of raw features, whose sums are exact for bytes, so that bins are the same on any number of
  // machines.
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(D, 3);
  Eigen::MatrixXf X;
  for (Index first = 0; first < shard.size(); first += Scaling::block_points) {
    X.resize(D, std::min(Scaling::block_points, shard.size() - first));
    shard.points.load(first, X);
    sums.col(0).array() += static_cast<double>(X.cols());
    sums.col(1) += X.cast<double>().rowwise().sum();
    sums.col(2) += X.cast<double>().cwiseAbs2().rowwise().sum();
  }
  all_sum(std::span<double>(sums.data(), static_cast<std::size_t>(sums.size())));
  const Eigen::ArrayXd mean = sums.col(1).array() / sums.col(0).array();
  const Eigen::ArrayXd reach =
      2.5 * (sums.col(2).array() / sums.col(0).array() - mean.square()).max(0.0).sqrt();
  const auto scaled = [&](const Eigen::ArrayXd& x) -> Eigen::VectorXf {
    Eigen::MatrixXf u = x.matrix().cast<float>();
    linear.scaling().normalise(u);
    return u;
  };
  model.set_scaling(linear.scaling(),
                    FeatureBins(scaled(mean - reach), scaled(mean + reach), model.settings().bins));
}

} // namespace parmac
