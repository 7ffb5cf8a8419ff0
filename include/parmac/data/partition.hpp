// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// A contiguous part of the points: first .. first + count - 1.
struct Share {
  Index first = 0;
  Index count = 0;
  friend bool operator==(const Share&, const Share&) = default;
};

namespace detail {
inline void require_part(Index N, Index parts, Index part) {
  require(N >= 0, "the number of points to divide is ", N, "; it must not be negative");
  require(parts >= 1, "the points are to be divided into ", parts, " parts; it must be at least 1");
  require(part >= 0 && part < parts, "there is no part ", part, " among ", parts);
}
} // namespace detail

/// Part `part` of 0 .. N-1 cut into `parts` contiguous parts, the first N mod parts of which have
/// one point more than the others. O(1).
/// @throws ConfigError unless N >= 0 and 0 <= part < parts.
[[nodiscard]] inline Share even_share(Index N, Index parts, Index part) {
  detail::require_part(N, parts, part);
  const Index larger = N % parts;
  return {N / parts * part + std::min(part, larger), N / parts + (part < larger ? 1 : 0)};
}

/// Part `part` of 0 .. N-1 cut into contiguous parts in proportion to their weights, such as the
/// speeds of the machines. The cuts are the running sums of the exact shares, rounded to the
/// nearest; so a part differs from its exact share by at most one point, a part of weight 0 is
/// empty, and whoever knows the weights finds the same parts. O(number of parts).
/// @throws ConfigError unless N >= 0, 0 <= part < weights.size(), and the weights and their sum are
/// finite, none is negative and one is positive.
[[nodiscard]] inline Share weighted_share(Index N, std::span<const double> weights, Index part) {
  detail::require_part(N, static_cast<Index>(weights.size()), part);
  double total = 0;
  double before = 0; // the weights of the parts before this one, and with this one
  double through = 0;
  for (std::size_t p = 0; p < weights.size(); ++p) {
    require(std::isfinite(weights[p]) && weights[p] >= 0, "the weight of part ", p, " is ",
            weights[p], "; weights are finite and not negative");
    if (static_cast<Index>(p) == part) before = total;
    total += weights[p];
    if (static_cast<Index>(p) == part) through = total;
  }
  require(total > 0, "the weights of all ", weights.size(), " parts are 0; one must be positive");
  require(std::isfinite(total), "the weights add up to more than a number can hold");
  const auto cut = [&](double sum) {
    if (sum == total) return N; // also where N is too large for a double
    return std::min(N, static_cast<Index>(std::llround(static_cast<double>(N) * (sum / total))));
  };
  return {cut(before), cut(through) - cut(before)};
}

} // namespace parmac
