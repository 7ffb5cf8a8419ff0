// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "parmac/core/submodel_update.hpp"
#include "parmac/solvers/linear_scores.hpp"

namespace parmac {

/// What a unit makes of its score s.
enum class Activation {
  linear,    ///< s
  sigmoid,   ///< 1 / (1 + exp(-s))
  tanh,      ///< tanh(s)
  rectifier, ///< max(0, s)
};

/// Scores become activations, in place. Entry by entry, so no entry depends on others.
template <class Matrix>
void activate(Activation activation, Matrix&& S) {
  using Number = typename std::decay_t<Matrix>::Scalar;
  switch (activation) {
  case Activation::linear:
    break;
  case Activation::sigmoid:
    for (auto& s : S.reshaped()) s = Number{1} / (Number{1} + std::exp(-s));
    break;
  case Activation::tanh:
    for (auto& s : S.reshaped()) s = std::tanh(s);
    break;
  case Activation::rectifier:
    for (auto& s : S.reshaped()) s = s > 0 ? s : Number{0};
    break;
  }
}

/// The derivative at a score, by the activation a that it gives.
template <class Number>
[[nodiscard]] Number slope(Activation activation, Number a) {
  switch (activation) {
  case Activation::sigmoid:
    return a * (1 - a);
  case Activation::tanh:
    return 1 - a * a;
  case Activation::rectifier:
    return a > 0 ? Number{1} : Number{0};
  default:
    return Number{1};
  }
}

/// The largest derivative that there is.
[[nodiscard]] constexpr double steepest(Activation activation) {
  return activation == Activation::sigmoid ? 0.25 : 1.0;
}

/// Units with an activation by stochastic gradient descent on the squared error: a unit's objective
/// is lambda/2 |w|^2 + 1/2 the mean over the points of (a(w'x + b) - y)^2; the bias b is not
/// regularised. Targets may lie anywhere, also where the activation never gets.
struct ActivationUpdate {
  Activation activation = Activation::sigmoid;
  double lambda = 1e-5; ///< weight of the regulariser, not negative

  /// One step down the gradient of a minibatch's objective. W is (D + 1) x m, a unit a column, its
  /// bias last; X is D x B; Y is B x m. O(B D m). No point, no change. @throws ShapeError
  void step(Eigen::Ref<Eigen::MatrixXf> W, const Eigen::Ref<const Eigen::MatrixXf>& X,
            const Eigen::Ref<const Eigen::MatrixXf>& Y, float step_size) const {
    detail::require_matching(W, X, Y);
    if (X.cols() == 0) return;
    Eigen::MatrixXf A = detail::linear_scores(W, X);
    activate(activation, A);
    A = A.binaryExpr(Y, [this](float a, float y) { return (y - a) * slope(activation, a); });
    detail::shrink_and_move(W, X, A, step_size, lambda, 1.0);
  }

  /// The mean objective over the points, summed over the units. @throws ShapeError
  [[nodiscard]] double objective(const Eigen::Ref<const Eigen::MatrixXf>& W,
                                 const Eigen::Ref<const Eigen::MatrixXf>& X,
                                 const Eigen::Ref<const Eigen::MatrixXf>& Y) const {
    detail::require_matching(W, X, Y);
    const double size = W.topRows(X.rows()).cast<double>().squaredNorm();
    if (X.cols() == 0) return lambda / 2 * size;
    Eigen::MatrixXf A = detail::linear_scores(W, X);
    activate(activation, A);
    return lambda / 2 * size +
           (Y - A).cast<double>().squaredNorm() / 2 / static_cast<double>(X.cols());
  }

  [[nodiscard]] double decay() const { return lambda; }
};
static_assert(check_submodel_update<ActivationUpdate>());

/// Each row of S, the scores of a point, becomes probabilities: exp(s) over the row's sum.
inline void softmax_rows(Eigen::Ref<Eigen::MatrixXf> S) {
  for (Eigen::Index i = 0; i < S.rows(); ++i) {
    const float most = S.row(i).maxCoeff();
    float sum = 0;
    for (Eigen::Index j = 0; j < S.cols(); ++j) sum += S(i, j) = std::exp(S(i, j) - most);
    S.row(i) /= sum;
  }
}

/// Multinomial logistic regression by stochastic gradient descent: lambda/2 |W|^2 + the mean over
/// the points of -log of the probability of the point's class; Y holds a 1 for it and else 0. Its
/// columns share the sum of the probabilities, so all are trained together: the one submodel that
/// this is must never be cut.
struct SoftmaxUpdate {
  double lambda = 1e-5; ///< weight of the regulariser, not negative

  /// Shapes as for `ActivationUpdate`. @throws ShapeError
  void step(Eigen::Ref<Eigen::MatrixXf> W, const Eigen::Ref<const Eigen::MatrixXf>& X,
            const Eigen::Ref<const Eigen::MatrixXf>& Y, float step_size) const {
    detail::require_matching(W, X, Y);
    if (X.cols() == 0) return;
    Eigen::MatrixXf P = detail::linear_scores(W, X);
    softmax_rows(P);
    P = Y - P;
    detail::shrink_and_move(W, X, P, step_size, lambda, 1.0);
  }

  /// @throws ShapeError
  [[nodiscard]] double objective(const Eigen::Ref<const Eigen::MatrixXf>& W,
                                 const Eigen::Ref<const Eigen::MatrixXf>& X,
                                 const Eigen::Ref<const Eigen::MatrixXf>& Y) const {
    detail::require_matching(W, X, Y);
    const double size = W.topRows(X.rows()).cast<double>().squaredNorm();
    if (X.cols() == 0) return lambda / 2 * size;
    Eigen::MatrixXf P = detail::linear_scores(W, X);
    softmax_rows(P);
    double loss = 0;
    for (Eigen::Index i = 0; i < P.rows(); ++i)
      loss -= std::log(std::max(1e-30, static_cast<double>(P.row(i).dot(Y.row(i)))));
    return lambda / 2 * size + loss / static_cast<double>(X.cols());
  }

  [[nodiscard]] double decay() const { return lambda; }
};
static_assert(check_submodel_update<SoftmaxUpdate>());

} // namespace parmac
