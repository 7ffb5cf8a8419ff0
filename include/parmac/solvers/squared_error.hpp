// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>

#include "parmac/core/submodel_update.hpp"
#include "parmac/solvers/linear_scores.hpp"

namespace parmac {

/// Linear regressions by stochastic gradient descent. A submodel's objective is
/// lambda/2 |w|^2 + 1/2 the mean over the points of (w'x + b - y)^2 (mind the one half, which
/// makes the residual the derivative); the bias b is not regularised.
struct SquaredErrorUpdate {
  double lambda = 1e-5;   ///< weight of the regulariser, not negative
  double bias_rate = 1.0; ///< the bias moves with bias_rate times the step size

  /// One step down the gradient of a minibatch's objective. W is (D + 1) x m, a submodel a column,
  /// its bias last; X is D x B, a point a column; Y is B x m. O(B D m). No point, no change.
  /// @throws ShapeError
  void step(Eigen::Ref<Eigen::MatrixXf> W, const Eigen::Ref<const Eigen::MatrixXf>& X,
            const Eigen::Ref<const Eigen::MatrixXf>& Y, float step_size) const {
    detail::require_matching(W, X, Y);
    if (X.cols() == 0) return;
    Eigen::MatrixXf S = detail::linear_scores(W, X);
    S = Y - S;
    detail::shrink_and_move(W, X, S, step_size, lambda, bias_rate);
  }

  /// The mean objective over the points, summed over the m submodels; shapes as for `step`.
  /// Without a point it is the regulariser alone. @throws ShapeError
  [[nodiscard]] double objective(const Eigen::Ref<const Eigen::MatrixXf>& W,
                                 const Eigen::Ref<const Eigen::MatrixXf>& X,
                                 const Eigen::Ref<const Eigen::MatrixXf>& Y) const {
    detail::require_matching(W, X, Y);
    const double size = W.topRows(X.rows()).cast<double>().squaredNorm();
    if (X.cols() == 0) return lambda / 2 * size;
    const double loss = (Y - detail::linear_scores(W, X)).cast<double>().squaredNorm();
    return lambda / 2 * size + loss / 2 / static_cast<double>(X.cols());
  }

  [[nodiscard]] double decay() const { return lambda; }
};
static_assert(check_submodel_update<SquaredErrorUpdate>());

} // namespace parmac
