// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "parmac/solvers/feature_map.hpp"
#include "parmac/solvers/linear_kernels.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/random.hpp"

namespace parmac {

namespace detail {

/// Squared distances of the columns of C (D x F) and U (D x B): F x B. Column j depends on C and
/// column j of U alone.
inline void squared_distances(const Eigen::MatrixXf& C, const Eigen::MatrixXf& U,
                              Eigen::MatrixXf& S) {
  S.resize(C.cols(), U.cols());
  inner_products(C, U, S);
  const Eigen::VectorXf sizes = C.colwise().squaredNorm().transpose();
  for (Index j = 0; j < U.cols(); ++j) {
    float size = 0; // in an order that does not depend on where the column lies
    for (Index d = 0; d < U.rows(); ++d) size += U(d, j) * U(d, j);
    S.col(j) = ((sizes - 2 * S.col(j)).array() + size).max(0.0F);
  }
}

} // namespace detail

/// Gaussian radial basis functions exp(-|u - c|^2 / (2 width^2)) around fixed centres, D x F.
/// O(D F) a point. @throws ConfigError
[[nodiscard]] inline FeatureMap rbf_features(Eigen::MatrixXf centres, double width) {
  require(centres.rows() >= 1 && centres.cols() >= 1, "radial basis functions need centres; ",
          centres.cols(), " of ", centres.rows(), " features were given");
  require(centres.allFinite() && width > 0 && std::isfinite(width), "the width is ", width,
          "; it must be positive, and the centres finite");
  const auto rate = static_cast<float>(-0.5 / (width * width));
  const Index D = centres.rows();
  const Index F = centres.cols();
  return {D, F, [centres = std::move(centres), rate](const Eigen::MatrixXf& U, Eigen::MatrixXf& X) {
            detail::squared_distances(centres, U, X);
            for (float& x : X.reshaped()) x = std::exp(rate * x);
          }};
}

/// Centres (D x F) by k-means over the points of all machines, U (D x N_p) being this one's:
/// Lloyd's iterations from points drawn at random. `all_sum(std::span<double>)` adds up over all
/// machines; `first` is the number of this machine's first point among all. The same on all
/// machines; O(N D F) an iteration. @throws ConfigError; DataError when there are fewer points than
/// centres.
template <class AllSum>
[[nodiscard]] Eigen::MatrixXf k_means(const Eigen::MatrixXf& U, Index first, Index F,
                                      AllSum&& all_sum, std::uint64_t seed = 1,
                                      int iterations = 10) {
  require(F >= 1 && first >= 0 && iterations >= 0, "k-means of ", F, " centres, ", iterations,
          " iterations, from point ", first, " on");
  double N = static_cast<double>(U.cols());
  all_sum(std::span<double>(&N, 1));
  require<DataError>(static_cast<double>(F) <= N, F, " centres cannot be found among ", N,
                     " points");
  std::vector<Index> drawn(static_cast<std::size_t>(N));
  std::iota(drawn.begin(), drawn.end(), Index{0});
  RandomStream(seed, 0x6b6d65616e73).shuffle(std::span<Index>(drawn));
  // A column a centre: the sum of its points, and their number below.
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(U.rows() + 1, F);
  for (Index f = 0; f < F; ++f) {
    const Index n = drawn[static_cast<std::size_t>(f)] - first;
    if (n < 0 || n >= U.cols()) continue;
    sums.col(f).head(U.rows()) = U.col(n).cast<double>();
    sums(U.rows(), f) = 1;
  }
  Eigen::MatrixXf centres(U.rows(), F);
  Eigen::MatrixXf distances;
  for (int i = 0;; ++i) {
    all_sum(std::span<double>(sums.data(), static_cast<std::size_t>(sums.size())));
    for (Index f = 0; f < F; ++f) // a centre without points stays where it is
      if (sums(U.rows(), f) > 0)
        centres.col(f) = (sums.col(f).head(U.rows()) / sums(U.rows(), f)).cast<float>();
    if (i == iterations) return centres;
    sums.setZero();
    detail::squared_distances(centres, U, distances);
    for (Index n = 0; n < U.cols(); ++n) {
      Index nearest = 0;
      distances.col(n).minCoeff(&nearest);
      sums.col(nearest).head(U.rows()) += U.col(n).cast<double>();
      sums(U.rows(), nearest) += 1;
    }
  }
}

/// A width for centres: their mean distance from each other; 1 for a single one.
[[nodiscard]] inline double mean_distance(const Eigen::MatrixXf& centres) {
  const Index F = centres.cols();
  double sum = 0;
  for (Index a = 0; a < F; ++a)
    for (Index b = 0; b < a; ++b)
      sum += static_cast<double>((centres.col(a) - centres.col(b)).norm());
  return sum > 0 ? 2 * sum / static_cast<double>(F * (F - 1)) : 1.0;
}

} // namespace parmac
