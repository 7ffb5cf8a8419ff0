// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include "autoencoders.hpp"
#include "parmac/models/rbf_autoencoder.hpp"

namespace parmac::tests {

/// An RBF autoencoder on this machine's share of some points.
struct RbfSetup {
  Points points;
  Index dimensions = 2;

  struct Part {
    RbfAutoencoder model;
    RbfShard shard;
    RbfCoordinates coordinates;
  };

  template <class Ring>
  Part prepare(Ring& ring) const {
    const Share share = even_share(points.size(), ring.size(), ring.rank());
    Part part{RbfAutoencoder(points.dimension(), dimensions, 12, 8),
              RbfShard(points.slice(share.first, share.count), dimensions), RbfCoordinates{}};
    start(part.model, part.shard, share.first, summing(ring));
    return part;
  }
  std::string bytes(const RbfShard& shard) const { return bytes_of(shard.Z); }
};

} // namespace parmac::tests
