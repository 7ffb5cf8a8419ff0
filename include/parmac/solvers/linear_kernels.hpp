// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "parmac/solvers/grouped_product.hpp"
#include "parmac/solvers/panels.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

// The two matrix products of linear submodels, with columns that are independent to the bit: what
// comes out for one never depends on which others, or how many, are worked on beside it. So
// submodels can be trained in ranges of any size, and points encoded in blocks of any size. With
// AVX-512 they are made of `panels.hpp`, elsewhere of `add_grouped_product`.

namespace parmac {

#if defined(__AVX512F__)
namespace detail {

/// C = A'b. Not worth a copy of A.
inline void inner_products_with_one(const Eigen::Ref<const Eigen::MatrixXf>& A,
                                    const Eigen::Ref<const Eigen::MatrixXf>& b,
                                    Eigen::Ref<Eigen::MatrixXf> C) {
  for (Index row = 0; row < A.cols(); row += 16) {
    const Index rows = std::min<Index>(16, A.cols() - row);
    Lanes sum = _mm512_setzero_ps();
    for_each_transposed(
        A.data() + row * A.outerStride(), A.outerStride(), rows, A.rows(),
        [&](Index k, Lanes a) { sum = _mm512_fmadd_ps(a, _mm512_set1_ps(b.data()[k]), sum); });
    _mm512_mask_storeu_ps(C.data() + row, first_lanes(static_cast<std::size_t>(rows)), sum);
  }
}

/// C = A'B, lanes running along the columns of A.
inline void multiply_transposed(const Eigen::Ref<const Eigen::MatrixXf>& A,
                                const Eigen::Ref<const Eigen::MatrixXf>& B,
                                Eigen::Ref<Eigen::MatrixXf> C) {
  PanelMemory memory(A.rows());
  for (Index first = 0; first < A.cols(); first += panel_rows) {
    const Panel panel = memory.transposed(A.data() + first * A.outerStride(), A.outerStride(),
                                          std::min(panel_rows, A.cols() - first), A.rows());
    multiply_panel(panel, A.rows(), {B.data(), B.outerStride()}, B.cols(),
                   [&](Index row, Index column, Lanes sum, __mmask16 some) {
                     float* c = C.data() + column * C.outerStride() + first + row;
                     _mm512_mask_storeu_ps(c, some, sum);
                   });
  }
}

/// What that costs, roughly, in cycles: one for 32 products or for 4 numbers transposed, and
/// something for every block of columns.
inline double lane_cycles(Index D, Index p, Index q) {
  return static_cast<double>(D) * (static_cast<double>((p + 15) / 16) + 0.3) *
         static_cast<double>(q + 8) / 2;
}

/// B = A'.
inline void transpose(const Eigen::Ref<const Eigen::MatrixXf>& A, Eigen::Ref<Eigen::MatrixXf> B) {
  for (Index first = 0; first < A.cols(); first += 16) {
    const Index count = std::min<Index>(16, A.cols() - first);
    const __mmask16 some = first_lanes(static_cast<std::size_t>(count));
    for_each_transposed(A.data() + first * A.outerStride(), A.outerStride(), count, A.rows(),
                        [&](Index k, Lanes lanes) {
                          _mm512_mask_storeu_ps(B.data() + k * B.outerStride() + first, some,
                                                lanes);
                        });
  }
}

/// W = shrink W + rate X P, P being laid out in either way.
inline void shrink_and_add_panels(float shrink, Eigen::Ref<Eigen::MatrixXf> W, float rate,
                                  const Eigen::Ref<const Eigen::MatrixXf>& X, const Right& P) {
  const Lanes shrinks = _mm512_set1_ps(shrink);
  const Lanes rates = _mm512_set1_ps(rate);
  // Columns at such a distance share few places of the fastest cache and would push each other out;
  // a copy pays where it is used often enough.
  const bool copied = W.cols() >= 8 && X.outerStride() % 256 == 0;
  std::optional<PanelMemory> memory;
  if (copied) memory.emplace(X.cols());
  for (Index first = 0; first < X.rows();) {
    const bool twice = W.cols() == 1 && X.rows() - first >= 2 * panel_rows;
    const Index rows = std::min((twice ? 2 : 1) * panel_rows, X.rows() - first);
    const float* x = X.data() + first;
    const Panel panel =
        copied ? memory->copy(x, X.outerStride(), rows, X.cols()) : Panel{x, X.outerStride(), rows};
    multiply_panel(panel, X.cols(), P, W.cols(),
                   [&](Index row, Index column, Lanes sum, __mmask16 some) {
                     float* w = W.data() + column * W.outerStride() + first + row;
                     const Lanes shrunk = _mm512_mul_ps(_mm512_maskz_loadu_ps(some, w), shrinks);
                     _mm512_mask_storeu_ps(w, some, _mm512_fmadd_ps(sum, rates, shrunk));
                   });
    first += rows;
  }
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
  if (B.cols() == 1)
    detail::inner_products_with_one(A, B, C);
  else if (detail::lane_cycles(A.rows(), A.cols(), B.cols()) <=
           detail::lane_cycles(A.rows(), B.cols(), A.cols()) +
               static_cast<double>(A.cols() * B.cols()) / 4)
    detail::multiply_transposed(A, B, C);
  else {
    Eigen::MatrixXf other_way(B.cols(), A.cols());
    detail::multiply_transposed(B, A, other_way);
    detail::transpose(other_way, C);
  }
#else
  C.setZero();
  add_grouped_product(1.0F, A.transpose(), B, C);
#endif
}

/// The sums of the columns of P (B x m), each in an order that depends on B alone: sixteen sums of
/// every sixteenth number, then their halves added, and so on. (Eigen's sum starts at the next
/// aligned address, so it may differ between two copies of the same column.) O(B m).
[[nodiscard]] inline Eigen::RowVectorXf column_sums(const Eigen::Ref<const Eigen::MatrixXf>& P) {
  constexpr Index lanes = 16;
  const Index B = P.rows();
  Eigen::RowVectorXf sums(P.cols());
  for (Index j = 0; j < P.cols(); ++j) {
    const float* column = P.data() + j * P.outerStride();
    Index i = 0;
#if defined(__AVX512F__)
    __m512 part = _mm512_setzero_ps();
    for (; i + lanes <= B; i += lanes) part = _mm512_add_ps(part, _mm512_loadu_ps(column + i));
    const __mmask16 rest = detail::first_lanes(static_cast<std::size_t>(B - i));
    sums(j) = _mm512_reduce_add_ps(_mm512_add_ps(part, _mm512_maskz_loadu_ps(rest, column + i)));
#else
    std::array<float, lanes> part{};
    for (; i + lanes <= B; i += lanes)
      for (Index k = 0; k < lanes; ++k) part[static_cast<std::size_t>(k)] += column[i + k];
    for (Index k = 0; i + k < B; ++k) part[static_cast<std::size_t>(k)] += column[i + k];
    for (std::size_t half = lanes / 2; half >= 1; half /= 2)
      for (std::size_t k = 0; k < half; ++k) part[k] += part[k + half];
    sums(j) = part[0];
#endif
  }
  return sums;
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
  detail::shrink_and_add_panels(shrink, W, rate, X, {P.data(), P.outerStride()});
#else
  W *= shrink;
  add_grouped_product(rate, X, P, W);
#endif
}

} // namespace parmac
