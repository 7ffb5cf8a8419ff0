// SPDX-License-Identifier: BSL-1.0
#pragma once

// Autoencoders of radial-basis-function networks: model, start and Z step.

#include "parmac/models/rbf_autoencoder/coordinates.hpp"
#include "parmac/models/rbf_autoencoder/model.hpp"
#include "parmac/models/rbf_autoencoder/start.hpp"
