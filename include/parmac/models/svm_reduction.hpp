// SPDX-License-Identifier: BSL-1.0
#pragma once

// Dimension reduction trained jointly with linear SVMs: model, start and Z step.

#include "parmac/models/svm_reduction/coordinates.hpp"
#include "parmac/models/svm_reduction/model.hpp"
#include "parmac/models/svm_reduction/start.hpp"
#include "parmac/solvers/rbf_features.hpp"
