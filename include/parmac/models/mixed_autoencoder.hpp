// SPDX-License-Identifier: BSL-1.0
#pragma once

// A binary autoencoder of hash functions of different kinds: model, start and Z step.

#include "parmac/models/binary_autoencoder/coordinates.hpp"
#include "parmac/models/mixed_autoencoder/model.hpp"
#include "parmac/models/mixed_autoencoder/start.hpp"

namespace parmac {
static_assert(CoordinateStep<BinaryCoordinates, MixedAutoencoder>);
} // namespace parmac
