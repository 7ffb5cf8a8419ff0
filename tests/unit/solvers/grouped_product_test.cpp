// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cstring>

#include "parmac/solvers/grouped_product.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;

namespace {

template <class Matrix>
Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, RandomStream& random) {
  Matrix M(rows, cols);
  for (Eigen::Index i = 0; i < M.size(); ++i)
    M.data()[i] = static_cast<typename Matrix::Scalar>(random.normal());
  return M;
}

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Eigen::Index j = 0; j < a.cols(); ++j)
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const auto x = a(i, j);
      const auto y = b(i, j);
      if (std::memcmp(&x, &y, sizeof x) != 0) return false;
    }
  return true;
}

} // namespace

TEMPLATE_TEST_CASE("A grouped product is the product", "", float, double) {
  using Matrix = Eigen::Matrix<TestType, Eigen::Dynamic, Eigen::Dynamic>;
  RandomStream random(1);
  for (int i = 0; i < 150; ++i) {
    const auto size = [&](std::uint64_t most) { return static_cast<Index>(random.below(most)); };
    const Index n = size(i % 10 == 0 ? 400 : 30);
    const Index k = size(i % 15 == 0 ? 700 : 30);
    const Index m = size(i % 20 == 0 ? 150 : 12);
    const Matrix A = random_matrix<Matrix>(n, k, random);
    const Matrix B = random_matrix<Matrix>(k, m, random);
    const Matrix start = random_matrix<Matrix>(n, m, random);
    const Eigen::MatrixXd expected =
        start.template cast<double>() -
        0.5 * (A.template cast<double>().lazyProduct(B.template cast<double>()));
    const double tolerance = (sizeof(TestType) == 4 ? 1e-5 : 1e-13) * (1 + static_cast<double>(k));

    Matrix C = start;
    add_grouped_product(TestType(-0.5), A, B, C);
    Matrix turned = start;
    const Matrix A_turned = A.transpose();
    const Matrix B_turned = B.transpose();
    add_grouped_product(TestType(-0.5), A_turned.transpose(), B_turned.transpose(), turned);

    REQUIRE(
        (n * m == 0 || (C.template cast<double>() - expected).cwiseAbs().maxCoeff() <= tolerance));
    CHECK(same_bits(C, turned));
  }
}

TEMPLATE_TEST_CASE("A column of a grouped product is the same bits alone as among others", "",
                   float, double) {
  using Matrix = Eigen::Matrix<TestType, Eigen::Dynamic, Eigen::Dynamic>;
  RandomStream random(2);
  for (const Index n : {1, 2, 3, 5, 17, 100, 145, 400})
    for (const Index k : {1, 2, 7, 16, 129, 230, 784}) {
      const Index m = 1 + static_cast<Index>(random.below(70));
      const Matrix A = random_matrix<Matrix>(n, k, random);
      const Matrix B = random_matrix<Matrix>(k, m, random);
      const Matrix start = random_matrix<Matrix>(n, m, random);
      Matrix fused = start;
      add_grouped_product(TestType(0.3), A, B, fused);
      for (Index j = 0; j < m; j += 1 + m / 9) {
        Matrix alone = start.col(j);
        add_grouped_product(TestType(0.3), A, Matrix(B.col(j)), alone);
        REQUIRE(same_bits(alone, fused.col(j)));
      }
    }
}

TEST_CASE("A product of sizes that do not fit is refused") {
  Eigen::MatrixXf A(2, 3), B(3, 4), C(2, 5), D(2, 4), E(4, 4);
  CHECK_THROWS_AS(add_grouped_product(1.0F, A, B, C), ShapeError);
  CHECK_THROWS_AS(add_grouped_product(1.0F, A, E, D), ShapeError);
  CHECK_THROWS_AS(add_grouped_product(1.0F, B, A, D), ShapeError);
}
