// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The version of parmac; CMake reads it from here, so that it stands in one place only.
#define PARMAC_VERSION_MAJOR 0
#define PARMAC_VERSION_MINOR 1
#define PARMAC_VERSION_PATCH 0
#define PARMAC_VERSION "0.1.0"
