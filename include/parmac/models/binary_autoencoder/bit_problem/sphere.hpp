// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "parmac/models/binary_autoencoder/bit_problem/alternate.hpp"

namespace parmac::bit_problem {

/// Exact minimisation by sphere decoding: with R'R = G (shifted on the diagonal) and R'y = t, E is
/// |R z - y|^2 + mu Ham(z, h) but for |y|^2, a sum over the rows of R of terms that are none
/// negative and see the bits from their row on only. So a depth-first search from the last row
/// up, the cheaper value first (Schnorr and Euchner), may leave every branch that already costs
/// more than the best code so far, which to begin with is the answer of `Alternate`.
/// Holds its own memory: one object a thread.
/// Source: Agrell, Eriksson, Vardy, Zeger, "Closest point search in lattices" (2002).
class Sphere {
public:
  /// A budget of 0 nodes is no limit; otherwise the search stops after so many nodes with the best
  /// code found, and says so. Nodes grow exponentially with L at worst: without a limit, codes of
  /// more than some 24 bits can take long. @pre The Quadratic outlives this object
  explicit Sphere(const Quadratic& quadratic, std::uint64_t node_budget = 0)
      : alternate_(quadratic),
        R_(Eigen::MatrixXd::Zero((quadratic.bits() + 7) / 8 * 8, quadratic.bits())),
        budget_(node_budget),
        residual_(Eigen::MatrixXd::Zero(R_.rows(), quadratic.bits() + 1)),
        pull_(quadratic.bits(), 2),
        second_(quadratic.bits()),
        z_(quadratic.bits()),
        h_(static_cast<std::size_t>(words_for(quadratic.bits()))) {
    R_.topRows(quadratic.bits()) = quadratic.factor();
  }
  Sphere(const Quadratic&&, std::uint64_t = 0) = delete;

  /// Replaces z by a code of the lowest E. On a tie, or a difference within rounding, the answer of
  /// `Alternate` stays. @throws ShapeError @throws ConfigError @throws NumericalError
  Solution solve(const PointProblem& problem, std::span<Word> z) {
    const Quadratic& quadratic = alternate_.quadratic();
    quadratic.require_matching(problem, z);
    const Index L = R_.cols();
    std::copy(problem.h.begin(), problem.h.end(), h_.begin()); // which z may share memory with
    clear_padding(h_, L);
    const Solution first = alternate_.solve(problem, z);
    auto y = residual_.col(L).head(L);
    for (Index k = 0; k < L; ++k) {
      const Index l = quadratic.order()(k);
      y(k) = problem.t[static_cast<std::size_t>(l)] + quadratic.shift()(l) / 2;
      const bool h = bit(h_, l);
      pull_(k, 0) = h ? problem.mu : 0.0;
      pull_(k, 1) = h ? 0.0 : problem.mu;
    }
    quadratic.factor().transpose().triangularView<Eigen::Lower>().solveInPlace(y);

    const double offset = y.squaredNorm();
    bound_ = (first.cost + offset) - 1e-12 * (std::abs(first.cost) + offset);
    nodes_ = 0;
    const bool improved = search(z);
    const PointProblem same{problem.t, problem.mu, h_};
    return {improved ? quadratic.cost(same, z) : first.cost, !stopped_, first.at_h, first.at_start};
  }

  /// Nodes that the last search visited.
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }

private:
  // Depth first, a bit a node, on bits in the order of their positions in R. Column k + 1 of
  // `residual_` holds, in its rows 0 .. k, y - R z of the bits above k; what its other rows hold,
  // which the steps of eight rows change too, is never read.
  bool search(std::span<Word> best) {
    bool improved = false;
    stopped_ = false;
    const Index L = R_.cols();
    double spent = 0; // the cost of the rows of R below row k
    Index k = L - 1;
    for (;;) {
      if (budget_ != 0 && nodes_ == budget_) {
        stopped_ = true;
        return improved;
      }
      ++nodes_;
      const double left = residual_(k, k + 1);
      const double moved = left - R_(k, k);
      const double zero = spent + left * left + pull_(k, 0);
      const double one = spent + moved * moved + pull_(k, 1);
      const bool value = one < zero || (one == zero && pull_(k, 1) == 0);
      z_(k) = value ? 1 : 0;
      second_(k) = std::max(zero, one);
      spent = std::min(zero, one);
      if (k == 0 && spent < bound_) {
        bound_ = spent;
        improved = true;
        for (Index j = 0; j < L; ++j)
          if (const Index l = alternate_.quadratic().order()(j); bit(best, l) != (z_(j) != 0))
            flip(best, l);
      }
      if (k == 0 || !(spent < bound_)) {
        do {
          if (++k == L) return improved;
        } while (!(second_(k) < bound_));
        z_(k) = 1 - z_(k);
        spent = std::exchange(second_(k), std::numeric_limits<double>::infinity());
      }
      for (Index row = 0; row < k; row += 8)
        residual_.col(k).segment<8>(row) =
            residual_.col(k + 1).segment<8>(row) - z_(k) * R_.col(k).segment<8>(row);
      --k;
    }
  }

  Alternate alternate_;
  Eigen::MatrixXd R_; // with rows of zeros below, to whole eights
  std::uint64_t budget_;

  // Of the present search, by positions.
  Eigen::MatrixXd residual_;
  Eigen::MatrixX2d pull_;  // what mu takes for a bit that is 0, and that is 1
  Eigen::VectorXd second_; // what the dearer value costs, infinite once it was tried
  Eigen::VectorXd z_;
  std::vector<Word> h_;
  double bound_ = 0;
  std::uint64_t nodes_ = 0;
  bool stopped_ = false;
};

} // namespace parmac::bit_problem
