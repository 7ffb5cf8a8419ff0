// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "parmac/support/check.hpp"

namespace parmac {

static_assert(EIGEN_VERSION_AT_LEAST(3, 4, 0), "parmac needs Eigen 3.4 or newer");

namespace detail {

inline constexpr Eigen::Index column_group = 4;

/// The blocking of a product as a function of its depth alone. Eigen's own looks at all sizes, so
/// there a column's sums may be cut differently when it has other columns beside it. The blocks
/// are multiples of every register blocking of Eigen's, and small enough to be packed on the stack.
template <class Scalar>
struct GroupedBlocking : Eigen::internal::level3_blocking<Scalar, Scalar> {
  explicit GroupedBlocking(Eigen::Index depth) {
    this->m_mc = 144;
    this->m_kc = std::min(depth, Eigen::Index{896 / sizeof(Scalar)});
    this->m_nc = 64;
  }
};

template <class Scalar>
using Result = Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>;

/// Eigen's general product, for a multiple of `column_group` columns. Called by its internal name,
/// since the public one turns to other code for tiny sizes, vectors, and several OpenMP threads.
template <class Left, class Right>
void add_product_of_groups(typename Left::Scalar alpha, const Left& A, const Right& B,
                           Result<typename Left::Scalar> C) {
  static_assert(Left::InnerStrideAtCompileTime == 1 && Right::InnerStrideAtCompileTime == 1);
  using Scalar = typename Left::Scalar;
  using Product = Eigen::internal::general_matrix_matrix_product<
      Eigen::Index, Scalar, Left::IsRowMajor ? Eigen::RowMajor : Eigen::ColMajor, false, Scalar,
      Right::IsRowMajor ? Eigen::RowMajor : Eigen::ColMajor, false, Eigen::ColMajor, 1>;
  GroupedBlocking<Scalar> blocking(A.cols());
  Product::run(C.rows(), C.cols(), A.cols(), A.data(), A.outerStride(), B.data(), B.outerStride(),
               C.data(), 1, C.outerStride(), alpha, blocking, nullptr);
}

} // namespace detail

/// C += alpha A B, where column j of C is bit for bit a function of alpha, A, its own old value,
/// and column j of B: neither the number of the other columns nor their content matters. This is
/// what lets submodels be trained in ranges of any size. A is n x k, B is k x m and C is n x m,
/// stored by columns; A and B may be transposes. All are matrices or blocks of float or of double.
/// O(n k m), with m rounded up to a multiple of 4.
/// The promise is void when Eigen hands its products to a BLAS (EIGEN_USE_BLAS, EIGEN_USE_MKL).
/// @throws ShapeError
template <class Left, class Right>
void add_grouped_product(typename Left::Scalar alpha, const Left& A, const Right& B,
                         detail::Result<typename Left::Scalar> C) {
  require<ShapeError>(A.cols() == B.rows() && C.rows() == A.rows() && C.cols() == B.cols(),
                      "a product of ", A.rows(), " x ", A.cols(), " and ", B.rows(), " x ",
                      B.cols(), " does not fit into ", C.rows(), " x ", C.cols());
  if (A.rows() == 0 || A.cols() == 0) return;
  const Eigen::Index tail = C.cols() % detail::column_group;
  const Eigen::Index whole = C.cols() - tail;
  if (whole > 0) detail::add_product_of_groups(alpha, A, B.leftCols(whole), C.leftCols(whole));
  if (tail > 0) {
    using Group = Eigen::Matrix<typename Left::Scalar, Eigen::Dynamic, detail::column_group>;
    Group right = Group::Zero(B.rows(), detail::column_group);
    Group result = Group::Zero(C.rows(), detail::column_group);
    right.leftCols(tail) = B.rightCols(tail);
    result.leftCols(tail) = C.rightCols(tail);
    detail::add_product_of_groups(alpha, A, right, result);
    C.rightCols(tail) = result.leftCols(tail);
  }
}

} // namespace parmac
