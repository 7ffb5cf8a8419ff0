// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "parmac/models/affinity_hash/model.hpp"
#include "parmac/models/binary_autoencoder/start.hpp"

namespace parmac {

/// Starts supervised hash functions from the points of all machines: the scaling and the first
/// codes are those of the binary autoencoder's start (`settings`; tPCA or ITQ), and the step size
/// is found on a sample. The weights stay as they are. `all_sum` adds up over all machines.
/// @throws ConfigError when L > D; DataError when no machine has points; NumericalError when points
/// are not finite.
template <class AllSum>
void start(AffinityHash& model, AffinityShard& shard, AllSum&& all_sum,
           const BinaryStartSettings& settings = {}) {
  BinaryAutoencoder linear(model.scaling().features(), model.bits());
  BinaryShard codes(shard.points, model.bits());
  start(linear, codes, all_sum, settings);
  model.scaling() = linear.scaling();
  shard.Z = std::move(codes.Z);
  model.hash().find_first_step(0, shard.points, shard.Z, model.scaling(), all_sum, settings.sample);
}

} // namespace parmac
