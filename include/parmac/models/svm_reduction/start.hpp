// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <span>

#include "parmac/models/binary_autoencoder/start.hpp"
#include "parmac/models/svm_reduction/model.hpp"
#include "parmac/solvers/step_size.hpp"

namespace parmac {

/// Starts dimension reduction from the points of all machines: the coordinates are the L leading
/// principal components, each of variance 1, and the SVMs' step size is found on a sample (the
/// geometric mean over the machines). `all_sum` adds up over all machines.
/// @throws ConfigError when L > D; DataError when no machine has points; NumericalError when points
/// are not finite.
template <class AllSum>
void start(SvmReduction& model, ReductionShard& shard, AllSum&& all_sum, Index sample = 1000) {
  model.require_matching(shard);
  const Index D = shard.points.dimension();
  const Index L = model.dimensions();
  require(L <= D, "a reduction to ", L,
          " dimensions cannot start from the principal components of ", "points of ", D,
          " features; there are only as many components as features");
  const detail::Moments moments = detail::moments(shard.points, all_sum);
  const Eigen::MatrixXd V = detail::leading_components(moments.covariance, L);
  constexpr Index block = 1024;
  Eigen::MatrixXf X;
  for (Index first = 0; first < shard.size(); first += block) {
    X.resize(D, std::min(block, shard.size() - first));
    shard.points.load(first, X);
    shard.Z.middleCols(first, X.cols()) =
        (V.transpose() * (X.cast<double>().colwise() - moments.mean)).cast<float>();
  }
  for (Index l = 0; l < L; ++l) {
    const double variance = V.col(l).dot(moments.covariance * V.col(l));
    if (variance > 1e-12) shard.Z.row(l) /= static_cast<float>(std::sqrt(variance));
  }

  const Index n = std::min(sample, shard.size());
  double sums[2] = {0, 0};
  if (n > 0) {
    Eigen::MatrixXf Y(n, model.svms().cols());
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < Y.cols(); ++k)
        Y(j, k) = model.wanted(k, shard.labels[static_cast<std::size_t>(j)]);
    const ReductionSettings& settings = model.settings();
    sums[0] = 1;
    sums[1] = std::log(find_step_size(HingeUpdate{.lambda = settings.lambda}, model.svms(),
                                      shard.Z.leftCols(n), Y, {.minibatch = settings.minibatch}));
  }
  all_sum(std::span<double>(sums));
  if (model.settings().first_step == 0) model.settings().first_step = std::exp(sums[1] / sums[0]);
}

} // namespace parmac
