// SPDX-License-Identifier: BSL-1.0
// Catch's main, compiled once for all unit tests: it takes longer than most tests together.
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
