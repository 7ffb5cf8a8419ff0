// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autoencoders.hpp"
#include "parmac/models/sigmoid_net.hpp"

namespace parmac::tests {

/// A net on this machine's share of some points: an autoencoder without labels, else a classifier.
struct NetSetup {
  Points points;
  std::vector<std::uint8_t> labels;
  std::vector<Index> hidden;
  NetSettings settings;
  NetCoordinatesSettings z;

  struct Part {
    SigmoidNet model;
    NetShard shard;
    NetCoordinates coordinates;
  };

  template <class Ring>
  Part prepare(Ring& ring) const {
    std::vector<Index> widths{points.dimension()};
    widths.insert(widths.end(), hidden.begin(), hidden.end());
    widths.push_back(labels.empty() ? points.dimension() : 3);
    const Share share = even_share(points.size(), ring.size(), ring.rank());
    const auto from = labels.begin() + (labels.empty() ? 0 : share.first);
    Part part{SigmoidNet(widths, settings),
              labels.empty() ? NetShard(share_of_machine(points, ring))
                             : NetShard(share_of_machine(points, ring),
                                        std::vector<std::uint8_t>(from, from + share.count)),
              NetCoordinates(z)};
    start(part.model, part.shard, summing(ring));
    return part;
  }
  std::string bytes(const NetShard& shard) const {
    std::string all;
    for (const Eigen::MatrixXf& Z : shard.Z) all += bytes_of(Z);
    for (const Eigen::MatrixXf& U : shard.U) all += bytes_of(U);
    return all;
  }
};

inline std::vector<std::uint8_t> three_classes(RandomStream& random, Index N) {
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(N));
  for (auto& label : labels) label = static_cast<std::uint8_t>(random.below(3));
  return labels;
}

} // namespace parmac::tests
