// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include "autoencoders.hpp"
#include "parmac/models/tree_autoencoder.hpp"
#include "parmac/serialization.hpp"

namespace parmac::tests {

/// An autoencoder of trees on this machine's share of some points.
struct TreeSetup {
  Points points;
  TreeSettings settings = {.depth = 3, .bins = 8, .least_points = 3, .features_per_node = 4};

  struct Part {
    TreeAutoencoder model;
    BinaryShard shard;
    BinaryCoordinates coordinates;
  };

  template <class Ring>
  Part prepare(Ring& ring) const {
    Part part{TreeAutoencoder(points.dimension(), 5, settings),
              BinaryShard(share_of_machine(points, ring), 5), BinaryCoordinates{}};
    start(part.model, part.shard, summing(ring));
    return part;
  }
  std::string bytes(const BinaryShard& shard) const { return bytes_of(shard.Z.bytes()); }
};

} // namespace parmac::tests
