// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

using BinMatrix = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;

/// Features as small whole numbers, for learning from histograms: every feature is cut into bins of
/// equal width, the first and the last of which are open.
class FeatureBins {
public:
  /// `bins` bins from `low` to `high`, a number a feature. A feature whose two are equal has one.
  /// @throws ConfigError unless 2 <= bins <= 256 and the limits are finite. @throws ShapeError
  FeatureBins(Eigen::VectorXf low, const Eigen::VectorXf& high, Index bins)
      : low_(std::move(low)), bins_(bins) {
    require(bins >= 2 && bins <= 256, bins, " bins; there can be 2 to 256");
    require<ShapeError>(low_.size() == high.size(), "lower limits of ", low_.size(),
                        " features and upper ones of ", high.size());
    require(low_.allFinite() && high.allFinite(), "the limits of the bins must be finite");
    rate_ = (high - low_).unaryExpr([bins](float width) {
      return width > 0 ? static_cast<float>(bins) / width : 0.0F;
    });
  }

  [[nodiscard]] Index features() const { return low_.size(); } ///< D
  [[nodiscard]] Index bins() const { return bins_; }

  /// The bins of points U, D x B. Numbers that are none are in the first. O(D B) @throws ShapeError
  void sort(const Eigen::MatrixXf& U, BinMatrix& to) const {
    require<ShapeError>(U.rows() == features(), "points of ", U.rows(), " features for bins of ",
                        features());
    to.resize(U.rows(), U.cols());
    const auto last = static_cast<float>(bins_ - 1);
    for (Index j = 0; j < U.cols(); ++j)
      for (Index d = 0; d < U.rows(); ++d) {
        const float place = (U(d, j) - low_(d)) * rate_(d);
        to(d, j) = place > 0 ? static_cast<std::uint8_t>(std::min(place, last)) : std::uint8_t{0};
      }
  }

private:
  Eigen::VectorXf low_;
  Eigen::VectorXf rate_; // bins a unit
  Index bins_;
};

} // namespace parmac
