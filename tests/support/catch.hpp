// SPDX-License-Identifier: BSL-1.0
#pragma once

// The one place that knows which Catch2 is installed: 2 has one header, 3 has many.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#define PARMAC_CATCH_MAJOR 3
#else
#include <catch2/catch.hpp>
#define PARMAC_CATCH_MAJOR 2
#endif
