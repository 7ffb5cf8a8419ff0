// SPDX-License-Identifier: BSL-1.0
#pragma once

// Deep nets of sigmoid and other units: model, start, Z step, measures, and backpropagation.

#include "parmac/models/sigmoid_net/coordinates.hpp"
#include "parmac/models/sigmoid_net/fine_tune.hpp"
#include "parmac/models/sigmoid_net/measure.hpp"
#include "parmac/models/sigmoid_net/net.hpp"
#include "parmac/models/sigmoid_net/start.hpp"
