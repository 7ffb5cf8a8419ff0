// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>

#include "parmac/models/binary_autoencoder.hpp"

namespace parmac::benchmarks {

/// A binary autoencoder that one machine trains step by step: model, shard and penalty as they are
/// in the middle of a run, for comparisons that need real ones.
struct Training {
  Training(const Points& points, Index bits, BinaryStart kind = BinaryStart::pca)
      : model(points.dimension(), bits), shard(points, bits) {
    start(model, shard, [](std::span<double>) {}, {.kind = kind});
  }

  /// A W step (one epoch) and a Z step, with a penalty that doubles.
  void iterate(int iterations) {
    const auto bits = static_cast<std::size_t>(model.bits());
    const auto all = bits + static_cast<std::size_t>(model.features());
    for (int i = 0; i < iterations; ++i, mu *= 2) {
      model.train({0, bits}, shard, Visit{});
      model.train({bits, all}, shard, Visit{});
      model.finish({bits, all});
      BinaryCoordinates().update(model, shard, mu);
    }
  }

  BinaryAutoencoder model;
  BinaryShard shard;
  double mu = 1e-3;
};

} // namespace parmac::benchmarks
