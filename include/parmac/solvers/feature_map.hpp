// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <functional>
#include <utility>
#include <vector>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// How a submodel sees a point: a fixed function from D features to F.
/// `map(U, X)` sets X (F x B) from points U (D x B); column j of X depends on column j of U alone,
/// bit for bit, so that it never matters how points are cut into blocks. It may be called from
/// several threads at once.
struct FeatureMap {
  Index inputs = 0;  ///< D
  Index outputs = 0; ///< F
  std::function<void(const Eigen::MatrixXf& U, Eigen::MatrixXf& X)> map;
};

/// The features as they are.
[[nodiscard]] inline FeatureMap all_features(Index D) {
  require(D >= 1, "points of ", D, " features were asked for; they need at least 1");
  return {D, D, [](const Eigen::MatrixXf& U, Eigen::MatrixXf& X) { X = U; }};
}

/// Some of the features, in the order given. @throws ConfigError when there are none, or one is not
/// among 0 .. D-1.
[[nodiscard]] inline FeatureMap selected_features(Index D, std::vector<Index> which) {
  require(!which.empty(), "no features were selected; a submodel needs at least 1");
  for (const Index d : which)
    require(d >= 0 && d < D, "feature ", d, " was selected from points of ", D, " features");
  const auto F = static_cast<Index>(which.size());
  return {D, F, [which = std::move(which)](const Eigen::MatrixXf& U, Eigen::MatrixXf& X) {
            X = U(which, Eigen::all);
          }};
}

} // namespace parmac
