// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "parmac/models/binary_autoencoder/start.hpp"
#include "parmac/models/mixed_autoencoder/model.hpp"

namespace parmac {

/// Starts a mixed autoencoder from the points of all machines: the scaling and the first codes are
/// those of the binary autoencoder's start (`settings`; tPCA or ITQ), and every part's step size is
/// found on a sample. The weights stay as they are. `all_sum` adds up over all machines.
/// @throws ConfigError when L > D; DataError when no machine has points; NumericalError when points
/// are not finite.
template <class AllSum>
void start(MixedAutoencoder& model, BinaryShard& shard, AllSum&& all_sum,
           const BinaryStartSettings& settings = {}) {
  BinaryAutoencoder linear(model.features(), model.bits());
  start(linear, shard, all_sum, settings);
  model.scaling() = linear.scaling();
  Index offset = 0;
  for (MappedHash& part : model.parts()) {
    part.find_first_step(offset, shard.points, shard.Z, model.scaling(), all_sum, settings.sample);
    offset += part.bits();
  }
}

} // namespace parmac
