// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "parmac/support/error.hpp"

namespace parmac {

/// Counts and positions of points and features; signed, as Eigen's.
using Index = std::ptrdiff_t;

/// Converts between integer types, and throws instead of wrapping round.
/// @throws ConfigError when `To` cannot hold the value.
template <std::integral To, std::integral From>
[[nodiscard]] constexpr To narrow(From value) {
  if (!std::in_range<To>(value))
    throw ConfigError("the number " + std::to_string(value) + " does not fit into " +
                      std::to_string(8 * sizeof(To)) + " bits; the largest that does is " +
                      std::to_string(std::numeric_limits<To>::max()));
  return static_cast<To>(value);
}

} // namespace parmac
