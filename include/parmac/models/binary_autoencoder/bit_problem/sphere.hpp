// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
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
        R_(quadratic.factor()),
        order_(quadratic.order()),
        budget_(node_budget),
        residual_(quadratic.bits(), quadratic.bits() + 1),
        h_(static_cast<std::size_t>(words_for(quadratic.bits()))),
        z_(h_.size()) {}
  Sphere(const Quadratic&&, std::uint64_t = 0) = delete;

  /// Replaces z by a code of the lowest E. On a tie, or a difference within rounding, the answer of
  /// `Alternate` stays. @throws ShapeError @throws ConfigError @throws NumericalError
  Solution solve(const PointProblem& problem, std::span<Word> z) {
    alternate_.quadratic().require_matching(problem, z);
    const Index L = R_.cols();
    std::copy(problem.h.begin(), problem.h.end(), h_.begin()); // which z may share memory with
    clear_padding(h_, L);
    const Solution first = alternate_.solve(problem, z);
    mu_ = problem.mu;
    auto y = residual_.col(L);
    for (Index k = 0; k < L; ++k) {
      const Index l = order_(k);
      y(k) = problem.t[static_cast<std::size_t>(l)] + alternate_.quadratic().shift()(l) / 2;
    }
    R_.transpose().triangularView<Eigen::Lower>().solveInPlace(y);

    const double offset = y.squaredNorm();
    bound_ = (first.cost + offset) - 1e-12 * (std::abs(first.cost) + offset);
    best_ = z;
    improved_ = false;
    nodes_ = 0;
    stopped_ = false;
    visit(L - 1, 0.0);
    const PointProblem same{problem.t, problem.mu, h_};
    return {improved_ ? alternate_.quadratic().cost(same, z) : first.cost, !stopped_, first.at_h,
            first.at_start};
  }

  /// Nodes that the last search visited.
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }

private:
  // Decides on the bit in position k, `spent` being the cost of the rows of R below it. Column
  // k + 1 of `residual_` holds, in its rows 0 .. k, y - R z of the bits decided so far.
  void visit(Index k, double spent) {
    if (k < 0) {
      bound_ = spent;
      improved_ = true;
      std::copy(z_.begin(), z_.end(), best_.begin());
      return;
    }
    if (budget_ != 0 && nodes_ == budget_) {
      stopped_ = true;
      return;
    }
    ++nodes_;
    const Index l = order_(k);
    const bool h = bit(h_, l);
    const double left = residual_(k, k + 1);
    const double moved = left - R_(k, k);
    const double zero = spent + left * left + (h ? mu_ : 0.0);
    const double one = spent + moved * moved + (h ? 0.0 : mu_);
    bool value = one < zero || (one == zero && h);
    for (int child = 0; child < 2 && !stopped_; ++child, value = !value) {
      const double cost = value ? one : zero;
      if (!(cost < bound_)) return;
      if (value != bit(z_, l)) flip(z_, l);
      residual_.col(k).head(k) = residual_.col(k + 1).head(k);
      if (value) residual_.col(k).head(k) -= R_.col(k).head(k);
      visit(k - 1, cost);
    }
  }

  Alternate alternate_;
  const Eigen::MatrixXd& R_;
  const Eigen::VectorXi& order_;
  std::uint64_t budget_;
  double mu_ = 0;
  Eigen::MatrixXd residual_;
  std::vector<Word> h_;
  std::vector<Word> z_;

  // Of the present search.
  std::span<Word> best_;
  double bound_ = 0;
  bool improved_ = false;
  std::uint64_t nodes_ = 0;
  bool stopped_ = false;
};

} // namespace parmac::bit_problem
