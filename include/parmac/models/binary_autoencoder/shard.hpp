// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include "parmac/data/points.hpp"
#include "parmac/retrieval/packed_codes.hpp"

namespace parmac {

/// One machine's points x_n, where they lie, and their binary coordinates z_n, packed.
struct BinaryShard {
  /// Coordinates of `bits` zeros each. @throws ConfigError unless bits >= 1.
  BinaryShard(Points x, Index bits) : points(std::move(x)), Z(bits, points.size()) {}

  [[nodiscard]] Index size() const { return points.size(); }

  Points points; ///< X, D x N_p
  PackedCodes Z; ///< L bits a point
};

} // namespace parmac
