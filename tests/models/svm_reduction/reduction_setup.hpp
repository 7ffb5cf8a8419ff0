// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autoencoders.hpp"
#include "parmac/models/svm_reduction.hpp"

namespace parmac::tests {

/// Points of some classes around centres of their own, D features.
struct ClassedPoints {
  Eigen::MatrixXf X;
  std::vector<std::uint8_t> labels;

  ClassedPoints(Index D, Index N, Index classes, RandomStream& random, double spread = 0.7)
      : X(D, N) {
    Eigen::MatrixXd centres(D, classes);
    for (double& c : centres.reshaped()) c = random.normal();
    for (Index n = 0; n < N; ++n) {
      const auto k = static_cast<Index>(random.below(static_cast<std::uint64_t>(classes)));
      labels.push_back(static_cast<std::uint8_t>(k));
      for (Index d = 0; d < D; ++d)
        X(d, n) = static_cast<float>(centres(d, k) + spread * random.normal());
    }
  }
};

/// Dimension reduction on this machine's share of some points.
struct ReductionSetup {
  ClassedPoints data;
  Index dimensions = 2;
  Index classes = 3;

  struct Part {
    SvmReduction model;
    ReductionShard shard;
    ReductionCoordinates coordinates;
  };

  template <class Ring>
  Part prepare(Ring& ring) const {
    const Share share = even_share(data.X.cols(), ring.size(), ring.rank());
    const Eigen::MatrixXf mine = data.X.middleCols(share.first, share.count);
    const auto from = data.labels.begin() + share.first;
    const Eigen::MatrixXf centres = k_means(mine, share.first, 8, summing(ring));
    Part part{SvmReduction(rbf_features(centres, mean_distance(centres)), dimensions, classes),
              ReductionShard(Points(mine), {from, from + share.count}, dimensions),
              ReductionCoordinates{}};
    start(part.model, part.shard, summing(ring));
    return part;
  }
  std::string bytes(const ReductionShard& shard) const { return bytes_of(shard.Z); }
};

} // namespace parmac::tests
