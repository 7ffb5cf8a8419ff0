// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cstring>

#include "parmac/solvers/linear_kernels.hpp"
#include "parmac/support/random.hpp"

using parmac::Index;
using parmac::inner_products;
using parmac::RandomStream;
using parmac::shrink_and_add;

namespace {

Eigen::MatrixXf random_matrix(Index rows, Index columns, RandomStream& random) {
  Eigen::MatrixXf X(rows, columns);
  for (float& x : X.reshaped()) x = static_cast<float>(random.normal());
  return X;
}

bool same_bits(const Eigen::MatrixXf& A, const Eigen::MatrixXf& B) {
  return A.rows() == B.rows() && A.cols() == B.cols() &&
         std::memcmp(A.data(), B.data(), static_cast<std::size_t>(A.size()) * sizeof(float)) == 0;
}

} // namespace

TEST_CASE("Inner products and weighted sums are those of linear algebra, at every size") {
  RandomStream random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const auto D = static_cast<Index>(random.below(70));
    const auto B = static_cast<Index>(random.below(40));
    const auto m = static_cast<Index>(random.below(20));
    // Columns of a taller matrix, as weights with a bias below are.
    const Eigen::MatrixXf tall = random_matrix(D + 1, m, random);
    const Eigen::MatrixXf X = random_matrix(D, B, random);
    const Eigen::MatrixXd exact = X.cast<double>().transpose() * tall.topRows(D).cast<double>();
    Eigen::MatrixXf S = random_matrix(B, m, random);
    inner_products(X, tall.topRows(D), S);
    if (S.size() > 0) REQUIRE((S.cast<double>() - exact).cwiseAbs().maxCoeff() < 1e-4);

    Eigen::MatrixXf W = tall;
    const Eigen::MatrixXf P = random_matrix(B, m, random);
    const Eigen::MatrixXd moved =
        0.75 * tall.topRows(D).cast<double>() + 0.5 * X.cast<double>() * P.cast<double>();
    shrink_and_add(0.75F, W.topRows(D), 0.5F, X, P);
    if (moved.size() > 0)
      REQUIRE((W.topRows(D).cast<double>() - moved).cwiseAbs().maxCoeff() < 1e-4);
    CHECK(W.row(D) == tall.row(D)); // what lies below is left alone
  }
}

TEST_CASE("What a column gets never depends on the columns beside it, to the bit") {
  RandomStream random(2);
  for (const Index D : {1, 3, 16, 17, 64, 127, 128, 150})
    for (const Index m : {1, 2, 3, 5, 6, 7, 12, 13, 20, 65}) {
      const Index B = 37;
      const Eigen::MatrixXf X = random_matrix(D, B, random);
      const Eigen::MatrixXf W = random_matrix(D + 1, m, random);
      const Eigen::MatrixXf P = random_matrix(B, m, random);
      Eigen::MatrixXf S(B, m);
      inner_products(X, W.topRows(D), S);
      Eigen::MatrixXf moved = W;
      shrink_and_add(0.9F, moved.topRows(D), 0.1F, X, P);
      for (Index first = 0; first < m;) {
        const Index count = std::min<Index>(1 + static_cast<Index>(random.below(8)), m - first);
        Eigen::MatrixXf part(B, count);
        inner_products(X, W.block(0, first, D, count), part);
        Eigen::MatrixXf alone = W.middleCols(first, count);
        shrink_and_add(0.9F, alone.topRows(D), 0.1F, X, P.middleCols(first, count));
        if (!same_bits(part, S.middleCols(first, count)) ||
            !same_bits(alone, moved.middleCols(first, count)))
          FAIL_CHECK("D = " << D << ", columns " << first << " to " << first + count - 1 << " of "
                            << m);
        first += count;
      }
    }
}

TEST_CASE("Shapes that do not fit are refused") {
  Eigen::MatrixXf X(3, 4), W(3, 2), S(4, 2), P(4, 2), other(2, 2);
  X.setZero();
  W.setZero();
  P.setZero();
  CHECK_THROWS_AS(inner_products(X, other, S), parmac::ShapeError);
  CHECK_THROWS_AS(inner_products(X, W, other), parmac::ShapeError);
  CHECK_THROWS_AS(shrink_and_add(1, other, 1, X, P), parmac::ShapeError);
  CHECK_THROWS_AS(shrink_and_add(1, W, 1, X, other), parmac::ShapeError);
}
