// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autoencoders.hpp"
#include "parmac/models/affinity_hash.hpp"

namespace parmac::tests {

inline std::vector<std::uint8_t> random_labels(RandomStream& random, Index N,
                                               std::uint64_t classes) {
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(N));
  for (auto& label : labels) label = static_cast<std::uint8_t>(random.below(classes));
  return labels;
}

/// Supervised hashing on this machine's share of some points.
struct AffinitySetup {
  Points points;
  std::vector<std::uint8_t> labels;
  Index bits = 6;

  struct Part {
    AffinityHash model;
    AffinityShard shard;
    AffinityCoordinates coordinates;
  };

  template <class Ring>
  Part prepare(Ring& ring) const {
    const Share share = even_share(points.size(), ring.size(), ring.rank());
    const auto from = labels.begin() + share.first;
    Part part{AffinityHash(all_features(points.dimension()), bits),
              AffinityShard(share_of_machine(points, ring), {from, from + share.count}, bits),
              AffinityCoordinates{}};
    start(part.model, part.shard, summing(ring));
    return part;
  }
  std::string bytes(const AffinityShard& shard) const { return bytes_of(shard.Z.bytes()); }
};

} // namespace parmac::tests
