// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <span>

#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/train/trainer.hpp"

namespace parmac::benchmarks {

/// A binary autoencoder that one machine trains step by step: model, shard and penalty as they are
/// in the middle of a run, for comparisons that need real ones.
struct Training {
  Training(const Points& points, Index bits, BinaryStart kind = BinaryStart::pca)
      : model(points.dimension(), bits), shard(points, bits) {
    start(model, shard, [](std::span<double>) {}, {.kind = kind});
  }

  /// W steps (of one epoch) and Z steps, with a penalty that doubles. To be called once.
  void iterate(int iterations) {
    if (iterations == 0) return;
    BinaryCoordinates coordinates;
    Trainer trainer{model, coordinates, SerialRing()};
    trainer.fit(
        shard,
        {.penalty = GeometricPenalty(mu, 2), .max_iterations = iterations, .final_fit = false});
    mu *= std::exp2(iterations);
  }

  BinaryAutoencoder model;
  BinaryShard shard;
  double mu = 1e-3;
};

} // namespace parmac::benchmarks
