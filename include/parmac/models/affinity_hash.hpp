// SPDX-License-Identifier: BSL-1.0
#pragma once

// Supervised, affinity-based hash functions: model, start and Z step.

#include "parmac/models/affinity_hash/coordinates.hpp"
#include "parmac/models/affinity_hash/model.hpp"
#include "parmac/models/affinity_hash/start.hpp"
