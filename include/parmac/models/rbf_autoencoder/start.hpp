// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <span>

#include "parmac/models/binary_autoencoder/start.hpp"
#include "parmac/models/rbf_autoencoder/model.hpp"

namespace parmac {

/// Starts an RBF autoencoder from the points of all machines: the scaling (centre at the mean,
/// total variance 1); the coordinates are the L leading principal components, each of variance 1;
/// the centres of both networks by k-means, each as wide as its centres lie apart on average.
/// `first` is the number of this machine's first point among all; `all_sum` adds up over all
/// machines.
/// @throws ConfigError when L > D; DataError when there are fewer points than centres;
/// NumericalError when points are not finite.
template <class AllSum>
void start(RbfAutoencoder& model, RbfShard& shard, Index first, AllSum&& all_sum,
           std::uint64_t seed = 1) {
  model.require_matching(shard);
  const Index D = model.features();
  const Index L = model.dimensions();
  require(L <= D, L, " dimensions of points of ", D,
          " features; there are only as many principal components as features");
  const detail::Moments moments = detail::moments(shard.points, all_sum);
  const double variance = moments.covariance.trace();
  model.scaling().set(moments.mean.cast<float>(),
                      variance > 0 ? static_cast<float>(std::sqrt(variance)) : 1.0F);
  const Eigen::MatrixXf V = detail::leading_components(moments.covariance, L).cast<float>();
  Eigen::MatrixXf all(D, shard.size());
  model.scaling().for_each_block(shard.points, 1, [&](Index n, const Eigen::MatrixXf& U) {
    all.middleCols(n, U.cols()) = U;
    shard.Z.middleCols(n, U.cols()) = V.transpose() * U;
  });
  for (Index l = 0; l < L; ++l) {
    const Eigen::VectorXd v = V.col(l).cast<double>();
    const double spread = variance > 0 ? v.dot(moments.covariance * v) / variance : 0.0;
    if (spread > 1e-12) shard.Z.row(l) /= static_cast<float>(std::sqrt(spread));
  }
  const Eigen::MatrixXf points = k_means(all, first, model.encoder_centres(), all_sum, seed);
  model.set_encoder_centres(points, mean_distance(points));
  const Eigen::MatrixXf codes = k_means(shard.Z, first, model.decoder_centres(), all_sum, seed);
  model.set_decoder_centres(codes, mean_distance(codes));
}

} // namespace parmac
