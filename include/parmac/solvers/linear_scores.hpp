// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>

#include "parmac/solvers/linear_kernels.hpp"
#include "parmac/support/check.hpp"

namespace parmac::detail {

/// Refuses weights W ((D + 1) x m), points X (D x B) and targets Y (B x m) that do not match.
/// @throws ShapeError
template <class Weights, class Points, class Targets>
void require_matching(const Weights& W, const Points& X, const Targets& Y) {
  require<ShapeError>(W.rows() == X.rows() + 1, "weights of ", W.rows(), " rows for points of ",
                      X.rows(), " features; they need one row more than features, for the bias");
  require<ShapeError>(Y.rows() == X.cols() && Y.cols() == W.cols(), "targets of ", Y.rows(), " x ",
                      Y.cols(), "; expected ", X.cols(), " points x ", W.cols(), " submodels");
}

/// The scores S = X' W + bias (B x m) of linear submodels, W being (D + 1) x m with the bias last.
template <class Weights, class Points>
Eigen::MatrixXf linear_scores(const Weights& W, const Points& X) {
  Eigen::MatrixXf S(X.cols(), W.cols());
  inner_products(X, W.topRows(X.rows()), S);
  S.rowwise() += W.row(X.rows());
  return S;
}

/// The descent step that the linear submodels share: W shrinks by (1 - step_size lambda) but for
/// its bias, then moves by step_size / B times the sum over the minibatch of pull(i, j) x_i; the
/// bias by bias_rate times as much. `pull` is B x m.
template <class Weights, class Points>
void shrink_and_move(Weights&& W, const Points& X, const Eigen::MatrixXf& pull, float step_size,
                     double lambda, double bias_rate) {
  const Eigen::Index D = X.rows();
  const double rate = static_cast<double>(step_size) / static_cast<double>(X.cols());
  shrink_and_add(static_cast<float>(1.0 - static_cast<double>(step_size) * lambda), W.topRows(D),
                 static_cast<float>(rate), X, pull);
  const Eigen::RowVectorXf sums = column_sums(pull);
  for (Eigen::Index j = 0; j < W.cols(); ++j)
    W(D, j) += static_cast<float>(bias_rate * rate * static_cast<double>(sums(j)));
}

} // namespace parmac::detail
