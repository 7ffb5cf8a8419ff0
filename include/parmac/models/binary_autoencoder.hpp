// SPDX-License-Identifier: BSL-1.0
#pragma once

// The binary autoencoder: model, start, Z step and file. Apart from parmac.hpp since its linear
// algebra takes the compiler longer than all the rest.

#include "parmac/models/binary_autoencoder/coordinates.hpp"
#include "parmac/models/binary_autoencoder/file.hpp"
#include "parmac/models/binary_autoencoder/model.hpp"
#include "parmac/models/binary_autoencoder/start.hpp"

namespace parmac {
static_assert(CoordinateStep<BinaryCoordinates, BinaryAutoencoder>);
} // namespace parmac
