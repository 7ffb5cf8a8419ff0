// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "parmac/solvers/least_squares.hpp"
#include "parmac/solvers/linear_kernels.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// A layer y = W'u + c of linear outputs that learn by exact ridge regression, in ranges, from
/// statistics that ride the ring: what a model's `parameters`, `statistics`, `train` and `finish`
/// are made of. An output's result does not depend on the others of its range, bit for bit.
class RidgeLayer {
public:
  /// Zeros. @throws ConfigError unless there are inputs and outputs.
  RidgeLayer(Index inputs, Index outputs) {
    require(inputs >= 1 && outputs >= 1, "a layer of ", inputs, " inputs and ", outputs,
            " outputs; both must be at least 1");
    weights_.setZero(inputs + 1, outputs);
  }

  [[nodiscard]] Index inputs() const { return weights_.rows() - 1; }
  [[nodiscard]] Index outputs() const { return weights_.cols(); }
  /// (inputs + 1) x outputs: an output a column, its constant last.
  [[nodiscard]] const Eigen::MatrixXf& weights() const { return weights_; }
  [[nodiscard]] Eigen::MatrixXf& weights() { return weights_; }

  /// The outputs for inputs (inputs x B): outputs x B. Column j depends on column j alone.
  [[nodiscard]] Eigen::MatrixXf operator()(const Eigen::MatrixXf& U) const {
    Eigen::MatrixXf Y(outputs(), U.cols());
    inner_products(weights_.topRows(inputs()), U, Y);
    Y.colwise() += weights_.row(inputs()).transpose();
    return Y;
  }

  /// The memory of the outputs first .. first + count - 1.
  [[nodiscard]] std::span<float> parameters(Index first, Index count) {
    return {weights_.data() + first * weights_.rows(),
            static_cast<std::size_t>(count * weights_.rows())};
  }
  /// What they are solved from; starts as zeros.
  [[nodiscard]] std::span<double> statistics(Index first, Index count) {
    std::vector<double>& sums = statistics_[{first, count}];
    sums.resize(static_cast<std::size_t>(LeastSquares::size(inputs(), count)));
    return sums;
  }
  /// Forgets what they have seen.
  void forget(Index first, Index count) {
    LeastSquares(statistics(first, count), inputs(), count).clear();
  }
  /// Adds B points, inputs (inputs x B) and targets (count x B). @throws ShapeError
  void gather(Index first, Index count, const Eigen::MatrixXf& U, const Eigen::MatrixXf& targets) {
    LeastSquares(statistics(first, count), inputs(), count)
        .accumulate(U.cast<double>(), targets.cast<double>());
  }
  /// The least mean of |y - W'u - c|^2 + ridge |W|^2 over the points.
  void solve(Index first, Index count, double ridge) {
    const LeastSquares sums(statistics(first, count), inputs(), count);
    const LinearMap map = sums.solve(ridge * sums.count());
    auto columns = weights_.middleCols(first, count);
    columns.topRows(inputs()) = map.A.transpose().cast<float>();
    columns.row(inputs()) = map.c.transpose().cast<float>();
  }

private:
  Eigen::MatrixXf weights_;
  std::map<std::pair<Index, Index>, std::vector<double>> statistics_; // by first and count
};

} // namespace parmac
