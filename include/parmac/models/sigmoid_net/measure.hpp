// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "parmac/models/sigmoid_net/net.hpp"

namespace parmac {

/// How well a net does on some points.
struct NetQuality {
  double loss = 0;     ///< Mean of 1/2 |y - f(x)|^2, or of the cross-entropy.
  double accuracy = 0; ///< Share of points whose class has the highest score; 0 without classes.
};

/// The quality of a net on the points of a shard, whose coordinates do not matter. No points:
/// zeros.
/// @throws ShapeError, DataError
[[nodiscard]] inline NetQuality measure(const SigmoidNet& net, const NetShard& shard) {
  NetQuality sum;
  Eigen::MatrixXf X, Y;
  constexpr Index block = 1024;
  for (Index first = 0; first < shard.size(); first += block) {
    const Index B = std::min(block, shard.size() - first);
    X.resize(net.features(), B);
    net.load(shard.points, first, X);
    net.load_targets(shard, first, B, Y);
    const Eigen::MatrixXf outputs = net(X);
    if (net.settings().output == NetOutput::linear) {
      sum.loss += (Y - outputs).cast<double>().squaredNorm() / 2;
      continue;
    }
    Eigen::MatrixXf P = outputs.transpose();
    softmax_rows(P);
    for (Index j = 0; j < B; ++j) {
      Index said = 0;
      P.row(j).maxCoeff(&said);
      sum.accuracy += static_cast<double>(Y(said, j));
      sum.loss -= std::log(std::max(1e-30, static_cast<double>(P.row(j).dot(Y.col(j)))));
    }
  }
  const double N = static_cast<double>(std::max<Index>(1, shard.size()));
  return {sum.loss / N, sum.accuracy / N};
}

} // namespace parmac
