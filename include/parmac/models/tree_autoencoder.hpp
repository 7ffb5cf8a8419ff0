// SPDX-License-Identifier: BSL-1.0
#pragma once

// The binary autoencoder with decision trees for bits: model, start and Z step. It travels through
// Boost.Serialization: include parmac/serialization.hpp (parmac/mpi.hpp does) and link
// parmac::serialization.

#include "parmac/models/binary_autoencoder/coordinates.hpp"
#include "parmac/models/tree_autoencoder/model.hpp"
#include "parmac/models/tree_autoencoder/start.hpp"

namespace parmac {
static_assert(CoordinateStep<BinaryCoordinates, TreeAutoencoder>);
} // namespace parmac
