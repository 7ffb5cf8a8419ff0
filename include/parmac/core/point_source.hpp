// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <span>

#include "parmac/support/index.hpp"

namespace parmac {

/// Points that can be read as blocks of floats, wherever and however they are stored: N points of
/// D features, a point a column. Reading is `const` and may go on from several threads at once.
template <class S>
concept PointSource = requires(const S& source, Index first, std::span<const Index> which,
                               Eigen::Ref<Eigen::MatrixXf> out) {
  { source.size() } -> std::convertible_to<Index>;      // N
  { source.dimension() } -> std::convertible_to<Index>; // D
  source.load(first, out);                              // points first .. first + out.cols() - 1
  source.gather(which, out);                            // column j becomes point which[j]
};

} // namespace parmac
