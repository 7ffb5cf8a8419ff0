// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include "autoencoders.hpp"
#include "parmac/models/mixed_autoencoder.hpp"

namespace parmac::tests {

/// Bits that see all features, bits that see two, and a bit that sees squares.
struct MixedSetup {
  Points points;

  struct Part {
    MixedAutoencoder model;
    BinaryShard shard;
    BinaryCoordinates coordinates;
  };

  static FeatureMap squares(Index D) {
    return {D, 2 * D, [](const Eigen::MatrixXf& U, Eigen::MatrixXf& X) {
              X.resize(2 * U.rows(), U.cols());
              X << U, U.cwiseAbs2();
            }};
  }

  [[nodiscard]] MixedAutoencoder model() const {
    const Index D = points.dimension();
    return MixedAutoencoder({MappedHash(all_features(D), 3),
                             MappedHash(selected_features(D, {0, D - 1}), 2),
                             MappedHash(squares(D), 1)});
  }

  template <class Ring>
  Part prepare(Ring& ring) const {
    Part part{model(), BinaryShard(share_of_machine(points, ring), 6), BinaryCoordinates{}};
    start(part.model, part.shard, summing(ring));
    return part;
  }
  std::string bytes(const BinaryShard& shard) const { return bytes_of(shard.Z.bytes()); }
};

} // namespace parmac::tests
