// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "parmac/models/binary_autoencoder/bit_problem/bits.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac::bit_problem {

/// The part of one point's problem that is its own. The problem is to minimise
///   E(z) = z'Gz - 2 t'z + mu Ham(z, h)   over the codes z of L bits,
/// which for G = A'A and t = A'(x - c) is |x - c - A z|^2 + mu |z - h|^2 but for |x - c|^2.
/// All that is viewed here must outlive the call that it is given to.
struct PointProblem {
  std::span<const double> t; ///< L numbers
  double mu = 0;             ///< penalty of a bit that differs from h, not negative
  std::span<const Word> h;   ///< the encoder's code, packed
};

/// What a method found.
struct Solution {
  double cost = 0;     ///< E at the code that was found
  bool proven = false; ///< whether no code can cost less (but for rounding)
  double at_h = 0;     ///< E at the encoder's code
  double at_start = 0; ///< E at the code that was to be replaced
};

/// The part of the problem that all points share, prepared once an iteration: G = A'A and a
/// triangular factor of it. May be read by several threads at once.
class Quadratic {
public:
  /// Prepares G (L x L, symmetric and positive semi-definite, of any rank). O(L^3).
  /// @throws ShapeError when G is empty or not square.
  /// @throws NumericalError when G is not finite, or has a negative eigenvalue beyond rounding.
  explicit Quadratic(const Eigen::MatrixXd& G) {
    require<ShapeError>(G.rows() >= 1 && G.rows() == G.cols(), "G is ", G.rows(), " x ", G.cols(),
                        "; expected a square matrix of at least one row");
    require<NumericalError>(G.allFinite(), "G = A'A is not finite; is the decoder?");
    diagonal_ = G.diagonal();
    coupling_ = G + G.transpose();
    coupling_.diagonal().setZero();
    // A shift of the diagonal lets rank-deficient G have a factor too. It costs no exactness:
    // z_l = z_l^2, so the linear term takes it back. Relative to G_ll it is blind to scales.
    shift_ = diagonal_.unaryExpr([](double g) { return g > 0 ? 1e-7 * g : 1.0; });
    Eigen::MatrixXd shifted = coupling_ / 2;
    shifted.diagonal() = diagonal_ + shift_;
    const Eigen::LLT<Eigen::MatrixXd> cholesky(shifted);
    require<NumericalError>(diagonal_.minCoeff() >= 0 && cholesky.info() == Eigen::Success,
                            "G is not positive semi-definite, so it is no A'A");
    order_ = search_order(cholesky.solve(Eigen::MatrixXd::Identity(G.rows(), G.rows())));
    const Eigen::PermutationMatrix<Eigen::Dynamic> permutation(order_);
    factor_ =
        Eigen::LLT<Eigen::MatrixXd>(permutation.transpose() * shifted * permutation).matrixU();
    columns_.setZero(padded(G.rows()), G.cols());
    columns_.topRows(G.rows()) = coupling_;
    spread_ = coupling_.cwiseAbs().colwise().sum().transpose() + diagonal_;
  }

  /// The problem of a linear decoder z -> A z + c, A being D x L. O(D L^2 + L^3).
  /// @throws ShapeError @throws NumericalError
  [[nodiscard]] static Quadratic of_decoder(const Eigen::MatrixXd& A) {
    return Quadratic(A.transpose() * A);
  }

  [[nodiscard]] Index bits() const { return diagonal_.size(); }               ///< L
  [[nodiscard]] const Eigen::VectorXd& diagonal() const { return diagonal_; } ///< G_ll
  /// 2 G without its diagonal.
  [[nodiscard]] const Eigen::MatrixXd& coupling() const { return coupling_; }
  /// The same with rows of zeros below: 8, 16, 32 or 64 rows where a code is one word, else a
  /// multiple of 8.
  [[nodiscard]] const Eigen::MatrixXd& columns() const { return columns_; }
  /// What was added to the diagonal before the factor was taken.
  [[nodiscard]] const Eigen::VectorXd& shift() const { return shift_; }
  /// The bits in the order of the factor's columns; a search decides on the last one first.
  [[nodiscard]] const Eigen::VectorXi& order() const { return order_; }
  /// Upper triangular R (L x L): R'R is G + diag(shift) with rows and columns taken in `order`.
  [[nodiscard]] const Eigen::MatrixXd& factor() const { return factor_; }
  /// The largest change of E that bit l can cause through G.
  [[nodiscard]] const Eigen::VectorXd& spread() const { return spread_; }

  /// E(z), from its definition. O(L^2). @throws ShapeError
  [[nodiscard]] double cost(const PointProblem& problem, std::span<const Word> z) const {
    require_matching(problem, z);
    double sum = 0;
    double differing = 0;
    for (Index l = 0; l < bits(); ++l) {
      if (bit(z, l) != bit(problem.h, l)) ++differing;
      if (!bit(z, l)) continue;
      double others = 0;
      for (Index j = 0; j < l; ++j)
        if (bit(z, j)) others += coupling_(j, l);
      sum += others + diagonal_(l) - 2 * problem.t[static_cast<std::size_t>(l)];
    }
    return sum + problem.mu * differing;
  }

  /// Refuses a problem or code of another size, and a mu that is negative or not a number.
  /// @throws ShapeError @throws ConfigError
  void require_matching(const PointProblem& problem, std::span<const Word> z) const {
    const auto words = static_cast<std::size_t>(words_for(bits()));
    require<ShapeError>(static_cast<Index>(problem.t.size()) == bits(), "a linear term of ",
                        problem.t.size(), " numbers for ", bits(), " bits");
    require<ShapeError>(problem.h.size() == words && z.size() == words, "codes of ",
                        problem.h.size(), " and ", z.size(), " words for ", bits(),
                        " bits, which take ", words);
    require(problem.mu >= 0, "mu is ", problem.mu, "; it must not be negative");
  }

  /// Refuses a problem whose numbers are not all finite, `sizes` being the sum of their sizes.
  /// @throws NumericalError
  static void require_finite(const PointProblem& problem, double sizes) {
    require<NumericalError>(std::isfinite(sizes), "the problem of a point is not finite: mu is ",
                            problem.mu, ", the first number of its linear term ", problem.t[0]);
  }

private:
  static Index padded(Index L) {
    const Index eights = (L + 7) / 8;
    if (eights > 8) return 8 * eights;
    return 8 * static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(eights)));
  }

  // From the last position to the first, the bit whose pivot R_ll is the largest there: what says
  // most is decided first. Pivots are 1 / (H_ll)^(1/2) for H the inverse of what is left of G.
  // Source: Wolniansky, Foschini, Golden, Valenzuela, "V-BLAST" (1998).
  static Eigen::VectorXi search_order(Eigen::MatrixXd H) {
    Eigen::VectorXi order = Eigen::VectorXi::LinSpaced(H.rows(), 0, narrow<int>(H.rows()) - 1);
    for (Index left = H.rows(); left > 0; --left) {
      Index best = left - 1;
      for (Index k = left - 1; k >= 0; --k)
        if (H(order(k), order(k)) < H(order(best), order(best))) best = k;
      std::swap(order(best), order(left - 1));
      const Index taken = order(left - 1);
      const Eigen::VectorXd column = H.col(taken);
      H -= column * column.transpose() / column(taken);
    }
    return order;
  }

  Eigen::VectorXd diagonal_;
  Eigen::MatrixXd coupling_;
  Eigen::MatrixXd columns_;
  Eigen::VectorXd shift_;
  Eigen::VectorXi order_;
  Eigen::MatrixXd factor_;
  Eigen::VectorXd spread_;
};

} // namespace parmac::bit_problem
