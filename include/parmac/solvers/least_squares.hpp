// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <span>

#include "parmac/solvers/grouped_product.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// The linear map y = A z + c; A is m x L.
struct LinearMap {
  Eigen::MatrixXd A;
  Eigen::VectorXd c;
};

/// Exact linear regression with bias from statistics that add up over points, hence over machines:
/// a view of plain memory that holds, column after column, the (L + 1) x (L + 1) matrix of the sums
/// of (z,1)(z,1)' and the (L + 1) x m matrix of the sums of (z,1) y'. Its last row begins with the
/// sums of z and the number of points. Statistics of the same L and m are summed element by
/// element; output j needs the first L + 1 columns and its own, and is bit for bit the same
/// whatever other outputs are kept beside it.
class LeastSquares {
public:
  /// How many numbers the statistics of L inputs and m outputs are. @throws ConfigError
  [[nodiscard]] static Index size(Index L, Index m) {
    require(L >= 0 && m >= 0 && L < limit && m < limit, "a regression of ", L, " inputs and ", m,
            " outputs");
    return (L + 1) * (L + 1 + m);
  }

  /// Views memory of `size(L, m)` numbers, which must outlive the view and begin as zeros (see
  /// `clear`) or as statistics. @throws ShapeError @throws ConfigError
  LeastSquares(std::span<double> memory, Index L, Index m)
      : sums_(checked(memory, L, m), L + 1, L + 1 + m), L_(L) {}

  /// Forgets all points.
  void clear() { sums_.setZero(); }

  /// Points seen so far.
  [[nodiscard]] double count() const { return sums_(L_, L_); }

  /// Adds B points: inputs Z (L x B), outputs Y (m x B). O(B L (L + m)). @throws ShapeError
  void accumulate(const Eigen::Ref<const Eigen::MatrixXd>& Z,
                  const Eigen::Ref<const Eigen::MatrixXd>& Y) {
    const Eigen::MatrixXd lifted = lift(Z, Y);
    add_grouped_product(1.0, lifted, lifted.transpose(), sums_.leftCols(L_ + 1));
    add_grouped_product(1.0, lifted, Y.transpose(), sums_.rightCols(Y.rows()));
  }

  /// Adds the outputs of B points alone; their inputs come, or came, by `add_inputs`.
  /// @throws ShapeError
  void accumulate_outputs(const Eigen::Ref<const Eigen::MatrixXd>& Z,
                          const Eigen::Ref<const Eigen::MatrixXd>& Y) {
    add_grouped_product(1.0, lift(Z, Y), Y.transpose(), sums_.rightCols(Y.rows()));
  }

  /// Adds sums of (z,1)(z,1)', (L + 1) x (L + 1), made elsewhere. @throws ShapeError
  void add_inputs(const Eigen::Ref<const Eigen::MatrixXd>& ZZ) {
    require<ShapeError>(ZZ.rows() == L_ + 1 && ZZ.cols() == L_ + 1, "sums of inputs of ", ZZ.rows(),
                        " x ", ZZ.cols(), "; expected ", L_ + 1, " x ", L_ + 1);
    sums_.leftCols(L_ + 1) += ZZ;
  }

  /// Adds sums of (z,1) y', (L + 1) x m, made elsewhere. @throws ShapeError
  void add_outputs(const Eigen::Ref<const Eigen::MatrixXd>& ZY) {
    const Index m = sums_.cols() - L_ - 1;
    require<ShapeError>(ZY.rows() == L_ + 1 && ZY.cols() == m, "sums of outputs of ", ZY.rows(),
                        " x ", ZY.cols(), "; expected ", L_ + 1, " x ", m);
    sums_.rightCols(m) += ZY;
  }

  /// The A and c that minimise the sum of |y - A z - c|^2 + ridge |A|^2. Directions of z in which
  /// the points do not vary, as with a constant bit, equal bits, or fewer points than inputs, get
  /// no weight: A is the least-squares solution of smallest norm. (A direction counts as flat when
  /// its sum of squares is below a rounding error of the sums themselves.) No points: zeros.
  /// O(L^3 + L^2 m).
  /// @throws NumericalError when the statistics are not finite. @throws ConfigError
  [[nodiscard]] LinearMap solve(double ridge = 0) const {
    require(ridge >= 0 && std::isfinite(ridge), "the ridge is ", ridge,
            "; it must be finite and not negative");
    require<NumericalError>(sums_.allFinite(),
                            "the statistics of a least-squares problem are not finite");
    const Index m = sums_.cols() - L_ - 1;
    LinearMap map{Eigen::MatrixXd::Zero(m, L_), Eigen::VectorXd::Zero(m)};
    const double N = count();
    if (!(N > 0)) return map;
    const Eigen::VectorXd sum = sums_.col(L_).head(L_);
    const Eigen::VectorXd mean = sum / N;
    if (L_ == 0) {
      for (Index j = 0; j < m; ++j) map.c(j) = sums_(0, 1 + j) / N;
      return map;
    }

    // Scatter about the mean, made symmetric, and its inverse on the directions that vary.
    const auto raw = sums_.topLeftCorner(L_, L_);
    Eigen::MatrixXd S = (raw + raw.transpose()) / 2 - sum * mean.transpose();
    const double rounding = 16 * static_cast<double>(L_) * std::numeric_limits<double>::epsilon() *
                            raw.diagonal().cwiseAbs().maxCoeff();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
    require<NumericalError>(eigen.info() == Eigen::Success,
                            "the eigenvalues of a least-squares problem do not converge");
    const Eigen::VectorXd inverse = eigen.eigenvalues().unaryExpr(
        [&](double value) { return value > rounding ? 1 / (value + ridge) : 0.0; });
    const Eigen::MatrixXd& V = eigen.eigenvectors();

    // An output at a time, so that none depends on how many others there are.
    Eigen::VectorXd cross(L_);
    Eigen::VectorXd turned(L_);
    Eigen::VectorXd weights(L_);
    for (Index j = 0; j < m; ++j) {
      const double y_mean = sums_(L_, L_ + 1 + j) / N;
      cross = sums_.col(L_ + 1 + j).head(L_) - sum * y_mean;
      turned.noalias() = V.transpose() * cross;
      turned.array() *= inverse.array();
      weights.noalias() = V * turned;
      map.A.row(j) = weights.transpose();
      map.c(j) = y_mean - weights.dot(mean);
    }
    return map;
  }

private:
  // (z,1) of all points.
  [[nodiscard]] Eigen::MatrixXd lift(const Eigen::Ref<const Eigen::MatrixXd>& Z,
                                     const Eigen::Ref<const Eigen::MatrixXd>& Y) const {
    require<ShapeError>(Z.rows() == L_ && Y.rows() == sums_.cols() - L_ - 1 && Z.cols() == Y.cols(),
                        "inputs of ", Z.rows(), " x ", Z.cols(), " and outputs of ", Y.rows(),
                        " x ", Y.cols(), "; expected ", L_, " and ", sums_.cols() - L_ - 1,
                        " rows, and as many columns in both");
    Eigen::MatrixXd lifted(L_ + 1, Z.cols());
    lifted.topRows(L_) = Z;
    lifted.row(L_).setOnes();
    return lifted;
  }

  static double* checked(std::span<double> memory, Index L, Index m) {
    require<ShapeError>(static_cast<Index>(memory.size()) == size(L, m), "memory of ",
                        memory.size(), " numbers for the statistics of ", L, " inputs and ", m,
                        " outputs, which are ", size(L, m));
    return memory.data();
  }

  static constexpr Index limit = Index{1} << 30;
  Eigen::Map<Eigen::MatrixXd> sums_;
  Index L_;
};

} // namespace parmac
