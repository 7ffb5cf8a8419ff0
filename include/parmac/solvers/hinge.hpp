// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>

#include "parmac/core/submodel_update.hpp"
#include "parmac/solvers/linear_scores.hpp"

namespace parmac {

/// Linear support vector machines by stochastic gradient descent on the hinge loss
/// (Pegasos-like; the update and its defaults are those of Bottou's program). A submodel's
/// objective is lambda/2 |w|^2 + mean over the points of max(0, 1 - y (w'x + b)), y being +1 or
/// -1; the bias b is not regularised.
struct HingeUpdate {
  double lambda = 1e-5;   ///< weight of the regulariser, not negative
  double bias_rate = 1.0; ///< the bias moves with bias_rate times the step size; Bottou's has 0.01

  /// One step from one minibatch. With the scores of the old weights, W (but for the bias) shrinks
  /// by (1 - step_size lambda), then gains step_size / B times the sum of y x over the points with
  /// y s < 1. W is (D + 1) x m, a submodel a column, its bias last; X is D x B, a point a column;
  /// Y is B x m with entries +1 and -1. O(B D m). No point, no change.
  /// @throws ShapeError
  void step(Eigen::Ref<Eigen::MatrixXf> W, const Eigen::Ref<const Eigen::MatrixXf>& X,
            const Eigen::Ref<const Eigen::MatrixXf>& Y, float step_size) const {
    detail::require_matching(W, X, Y);
    if (X.cols() == 0) return;
    Eigen::MatrixXf S(X.cols(), W.cols());
    inner_products(X, W.topRows(X.rows()), S);
    for (Eigen::Index j = 0; j < S.cols(); ++j) { // the scores become what pulls
      const float bias = W(X.rows(), j);
      const float* y = Y.data() + j * Y.outerStride();
      float* s = S.data() + j * S.rows();
      for (Eigen::Index i = 0; i < S.rows(); ++i) s[i] = y[i] * (s[i] + bias) < 1.0F ? y[i] : 0.0F;
    }
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
    const Eigen::ArrayXXd losses =
        1.0 - (Y.array() * detail::linear_scores(W, X).array()).cast<double>();
    // Written so that a score that is not a number counts.
    const double loss = losses.unaryExpr([](double l) { return l <= 0 ? 0.0 : l; }).sum();
    return lambda / 2 * size + loss / static_cast<double>(X.cols());
  }

  [[nodiscard]] double decay() const { return lambda; }
};
static_assert(check_submodel_update<HingeUpdate>());

} // namespace parmac
