// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "parmac/models/binary_autoencoder/bit_problem/quadratic.hpp"
#include "parmac/support/random.hpp"

namespace parmac::tests {

/// A decoder and a point with h and a present z, to make per-point problems of every kind.
struct RandomProblem {
  Eigen::MatrixXd A;
  Eigen::VectorXd x; ///< less c
  Eigen::VectorXd t;
  std::vector<bit_problem::Word> h, z;
  double mu = 0;

  [[nodiscard]] bit_problem::PointProblem view() const {
    return {{t.data(), static_cast<std::size_t>(t.size())}, mu, h};
  }
  /// |x - A z|^2 + mu |z - h|^2 - |x|^2, from that formula.
  [[nodiscard]] double cost(const std::vector<bit_problem::Word>& code) const {
    Eigen::VectorXd left = x;
    double differing = 0;
    for (Index l = 0; l < A.cols(); ++l) {
      if (bit_problem::bit(code, l)) left -= A.col(l);
      if (bit_problem::bit(code, l) != bit_problem::bit(h, l)) ++differing;
    }
    return left.squaredNorm() - x.squaredNorm() + mu * differing;
  }
  /// How large the numbers are that a cost is the difference of.
  [[nodiscard]] double scale() const {
    return A.squaredNorm() * static_cast<double>(A.cols()) + x.squaredNorm() + mu;
  }
};

inline std::vector<bit_problem::Word> random_code(Index L, RandomStream& random) {
  std::vector<bit_problem::Word> code(static_cast<std::size_t>(bit_problem::words_for(L)));
  for (auto& word : code) word = random.word64();
  bit_problem::clear_padding(code, L);
  return code;
}

/// Independent, correlated, equal or zero columns; D from 1 to 3 L / 2; x near a code or far.
inline RandomProblem random_problem(Index L, RandomStream& random) {
  RandomProblem problem;
  const Index D = 1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(3 * L / 2 + 1)));
  const double scale = std::pow(10.0, 6 * random.uniform() - 3);
  problem.mu = std::pow(10.0, 9 * random.uniform() - 6);
  problem.A.resize(D, L);
  for (Index i = 0; i < problem.A.size(); ++i) problem.A(i) = scale * random.normal();
  const auto kind = random.below(4);
  for (Index l = 1; l < L; ++l) {
    const auto other = static_cast<Index>(random.below(static_cast<std::uint64_t>(l)));
    if (kind == 1) problem.A.col(l) = 0.2 * problem.A.col(l) + problem.A.col(other);
    if (kind == 2 && random.below(3) == 0) problem.A.col(l) = problem.A.col(other);
    if (kind == 3 && random.below(3) == 0) problem.A.col(l).setZero();
  }
  problem.h = random_code(L, random);
  problem.z = random_code(L, random);
  problem.x = Eigen::VectorXd::Zero(D);
  const auto truth = random_code(L, random);
  for (Index l = 0; l < L; ++l)
    if (bit_problem::bit(truth, l)) problem.x += problem.A.col(l);
  const double noise = scale * 2 * random.uniform();
  for (Index d = 0; d < D; ++d) problem.x(d) += noise * random.normal();
  problem.t = problem.A.transpose() * problem.x;
  return problem;
}

} // namespace parmac::tests
