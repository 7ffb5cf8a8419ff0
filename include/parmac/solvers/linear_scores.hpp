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

/// The descent step that the linear submodels share: W, but for its biases, shrinks by
/// (1 - step_size lambda) and gains step_size / B times the sum over the B points of pull(i, j)
/// x_i, which is what `shrink_and_add(shrink, rate)` does; the biases gain bias_rate times
/// step_size / B times the `sums` of the pulls, one a submodel.
template <class Weights, class Sums, class ShrinkAndAdd>
void shrink_and_move(Weights&& W, Eigen::Index B, const Sums& sums, float step_size, double lambda,
                     double bias_rate, ShrinkAndAdd&& shrink_and_add) {
  const double rate = static_cast<double>(step_size) / static_cast<double>(B);
  shrink_and_add(static_cast<float>(1.0 - static_cast<double>(step_size) * lambda),
                 static_cast<float>(rate));
  const Eigen::Index biases = W.rows() - 1;
  for (Eigen::Index j = 0; j < W.cols(); ++j)
    W(biases, j) += static_cast<float>(bias_rate * rate * static_cast<double>(sums(j)));
}

/// The same for points X (D x B) and pulls (B x m).
template <class Weights, class Points>
void shrink_and_move(Weights&& W, const Points& X, const Eigen::MatrixXf& pull, float step_size,
                     double lambda, double bias_rate) {
  shrink_and_move(W, X.cols(), column_sums(pull), step_size, lambda, bias_rate,
                  [&](float shrink, float rate) {
                    shrink_and_add(shrink, W.topRows(X.rows()), rate, X, pull);
                  });
}

} // namespace parmac::detail
