// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "parmac/solvers/grouped_product.hpp"
#include "parmac/solvers/lanes.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

// The two matrix products of linear submodels, with columns that are independent to the bit: what
// comes out for one never depends on which others, or how many, are worked on beside it. So
// submodels can be trained in ranges of any size, and points encoded in blocks of any size. With
// AVX-512 they are written out here: they need no packing, and a single column costs no more than
// its share. Elsewhere they are `add_grouped_product`.

namespace parmac {

#if defined(__AVX512F__)
namespace detail {

inline constexpr Index lane_width = lane_count;

/// Sixteen inner products, of P columns of A and Q of B: C is P x Q.
template <std::size_t P, std::size_t Q>
[[gnu::always_inline]] inline void multiply_block(const float* A, Index a_stride, const float* B,
                                                  Index b_stride, Index D, float* C,
                                                  Index c_stride) {
  static_assert(P * Q == lane_count);
  Lanes products[lane_count];
  for (Lanes& product : products) product = Lanes{};
  const auto step = [&](const auto& load, Index k) __attribute__((always_inline)) {
    Lanes a[P];
    Lanes b[Q];
    for (std::size_t p = 0; p < P; ++p) a[p] = load(A + static_cast<Index>(p) * a_stride + k);
    for (std::size_t q = 0; q < Q; ++q) b[q] = load(B + static_cast<Index>(q) * b_stride + k);
    for (std::size_t q = 0; q < Q; ++q)
      for (std::size_t p = 0; p < P; ++p) products[q * P + p] += a[p] * b[q];
  };
  const Index whole = D - D % lane_width;
  for (Index k = 0; k < whole; k += lane_width)
    step([](const float* from) { return load_lanes(from); }, k);
  if (whole < D)
    step([&](const float* from) { return load_lanes(from, static_cast<std::size_t>(D - whole)); },
         whole);
  float sums[lane_count];
  store_lanes(sums_of(products), sums);
  for (std::size_t q = 0; q < Q; ++q)
    std::memcpy(C + static_cast<Index>(q) * c_stride, sums + q * P, P * sizeof(float));
}

inline float inner_product(const float* a, const float* b, Index D) {
  Lanes product{};
  const Index whole = D - D % lane_width;
  for (Index k = 0; k < whole; k += lane_width) product += load_lanes(a + k) * load_lanes(b + k);
  if (whole < D) {
    const auto rest = static_cast<std::size_t>(D - whole);
    product += load_lanes(a + whole, rest) * load_lanes(b + whole, rest);
  }
  return sum_of(product);
}

/// W = shrink W + rate X P for Q columns and 16 F rows; with F = 1, for `rows` of the sixteen.
template <std::size_t F, std::size_t Q, bool Cut>
[[gnu::always_inline]] inline void move_tile(float shrink, float* W, Index w_stride, float rate,
                                             const float* X, Index x_stride, const float* P,
                                             Index p_stride, Index points, std::size_t rows) {
  const auto load = [rows](const float* from) {
    if constexpr (Cut)
      return load_lanes(from, rows);
    else
      return load_lanes(from);
  };
  Lanes sums[F * Q];
  for (Lanes& sum : sums) sum = Lanes{};
  for (Index i = 0; i < points; ++i) {
    Lanes x[F];
    for (std::size_t f = 0; f < F; ++f) x[f] = load(X + i * x_stride + f * lane_count);
    for (std::size_t q = 0; q < Q; ++q)
      for (std::size_t f = 0; f < F; ++f)
        sums[q * F + f] += x[f] * P[static_cast<Index>(q) * p_stride + i];
  }
  for (std::size_t q = 0; q < Q; ++q)
    for (std::size_t f = 0; f < F; ++f) {
      float* at = W + static_cast<Index>(q) * w_stride + f * lane_count;
      const Lanes moved = load(at) * shrink + sums[q * F + f] * rate;
      store_lanes(moved, at, Cut ? rows : lane_count);
    }
}

/// The same for all D rows of Q columns.
template <std::size_t F, std::size_t Q>
void move_columns(float shrink, float* W, Index w_stride, float rate, const float* X, Index D,
                  Index x_stride, const float* P, Index p_stride, Index points) {
  constexpr Index rows = F * lane_count;
  Index d = 0;
  for (; d + rows <= D; d += rows)
    move_tile<F, Q, false>(shrink, W + d, w_stride, rate, X + d, x_stride, P, p_stride, points, 0);
  for (; d + lane_width <= D; d += lane_width)
    move_tile<1, Q, false>(shrink, W + d, w_stride, rate, X + d, x_stride, P, p_stride, points, 0);
  if (d < D)
    move_tile<1, Q, true>(shrink, W + d, w_stride, rate, X + d, x_stride, P, p_stride, points,
                          static_cast<std::size_t>(D - d));
}

} // namespace detail
#endif

/// C = A'B: all inner products of the columns of A (D x p) and B (D x q); C is p x q. Each depends
/// on its two columns alone, bit for bit; where there is no AVX-512, on p and its place among the
/// columns of A, too. O(D p q). @throws ShapeError
inline void inner_products(const Eigen::Ref<const Eigen::MatrixXf>& A,
                           const Eigen::Ref<const Eigen::MatrixXf>& B,
                           Eigen::Ref<Eigen::MatrixXf> C) {
  require<ShapeError>(A.rows() == B.rows() && C.rows() == A.cols() && C.cols() == B.cols(),
                      "inner products of ", A.rows(), " x ", A.cols(), " and ", B.rows(), " x ",
                      B.cols(), " do not fit into ", C.rows(), " x ", C.cols());
#if defined(__AVX512F__)
  const Index D = A.rows();
  const auto a = [&](Index p) { return A.data() + p * A.outerStride(); };
  const auto b = [&](Index q) { return B.data() + q * B.outerStride(); };
  const auto c = [&](Index p, Index q) { return C.data() + q * C.outerStride() + p; };
  Index q = 0;
  for (; q + 4 <= B.cols(); q += 4) {
    Index p = 0;
    for (; p + 4 <= A.cols(); p += 4)
      detail::multiply_block<4, 4>(a(p), A.outerStride(), b(q), B.outerStride(), D, c(p, q),
                                   C.outerStride());
    for (; p < A.cols(); ++p)
      for (Index j = q; j < q + 4; ++j) *c(p, j) = detail::inner_product(a(p), b(j), D);
  }
  for (; q < B.cols(); ++q) {
    Index p = 0;
    for (; p + 16 <= A.cols(); p += 16)
      detail::multiply_block<16, 1>(a(p), A.outerStride(), b(q), B.outerStride(), D, c(p, q),
                                    C.outerStride());
    for (; p < A.cols(); ++p) *c(p, q) = detail::inner_product(a(p), b(q), D);
  }
#else
  C.setZero();
  add_grouped_product(1.0F, A.transpose(), B, C);
#endif
}

/// W = shrink W + rate X P: each column of W (D x m) shrinks and moves by the points X (D x B),
/// weighted by its own column of P (B x m). A column depends on its own old value, X and its column
/// of P alone, bit for bit. O(D B m). @throws ShapeError
inline void shrink_and_add(float shrink, Eigen::Ref<Eigen::MatrixXf> W, float rate,
                           const Eigen::Ref<const Eigen::MatrixXf>& X,
                           const Eigen::Ref<const Eigen::MatrixXf>& P) {
  require<ShapeError>(W.rows() == X.rows() && P.rows() == X.cols() && P.cols() == W.cols(),
                      "points of ", X.rows(), " x ", X.cols(), " weighted by ", P.rows(), " x ",
                      P.cols(), " cannot be added to ", W.rows(), " x ", W.cols());
#if defined(__AVX512F__)
  const auto move = [&]<std::size_t F, std::size_t Q>(Index q) {
    detail::move_columns<F, Q>(shrink, W.data() + q * W.outerStride(), W.outerStride(), rate,
                               X.data(), X.rows(), X.outerStride(), P.data() + q * P.outerStride(),
                               P.outerStride(), X.cols());
  };
  // As many sums at a time as there are registers for.
  Index q = 0;
  for (; q + 6 <= W.cols(); q += 6) move.template operator()<4, 6>(q);
  for (; q + 2 <= W.cols(); q += 2) move.template operator()<8, 2>(q);
  if (q < W.cols()) move.template operator()<8, 1>(q);
#else
  W *= shrink;
  add_grouped_product(rate, X, P, W);
#endif
}

} // namespace parmac
