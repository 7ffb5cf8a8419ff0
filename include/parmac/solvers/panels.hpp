// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "parmac/support/lanes.hpp"

#if defined(__AVX512F__)

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "parmac/support/index.hpp"

// A matrix product whose entries are each the sum of its terms from the first to the last, one
// fused multiplication and addition after the other, whatever the sizes. The lanes of a register
// run along the rows of the left matrix, so there is nothing to add up across lanes.

namespace parmac::detail {

inline constexpr Index panel_rows = 64;

/// Rows of the left matrix of a product, at most panel_rows of them (or twice as many for a single
/// column), which are `stride` apart from column to column.
struct Panel {
  const float* data;
  Index stride;
  Index rows;
};

/// The right matrix of a product: number k of column q is data[q * column + k * row].
struct Right {
  const float* data;
  Index column;
  Index row = 1;

  [[nodiscard]] Right from(Index first) const { return {data + first * column, column, row}; }
};

/// use(0), ..., use(N - 1), with constants. Registers that a loop counts through would have to live
/// in memory.
template <std::size_t N, class Use>
[[gnu::always_inline]] inline void unrolled(Use&& use) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (use(std::integral_constant<std::size_t, I>()), ...);
  }
  (std::make_index_sequence<N>());
}

/// Q columns of a product of at most 16 F rows: sums (16 F x Q). What a panel has beyond its rows
/// is not read.
template <std::size_t F, std::size_t Q>
void multiply_tile(const Panel& panel, Index depth, const Right& right, float* sums) {
  const __mmask16 last = first_lanes(static_cast<std::size_t>(panel.rows) - 16 * (F - 1));
  Lanes sum[F * Q];
  unrolled<F * Q>([&](auto i) __attribute__((always_inline)) { sum[i] = _mm512_setzero_ps(); });
  const float* a = panel.data;
  const float* b = right.data;
  for (Index k = 0; k < depth; ++k, a += panel.stride, b += right.row) {
    Lanes x[F];
    unrolled<F - 1>([&](auto f)
                        __attribute__((always_inline)) { x[f] = _mm512_loadu_ps(a + 16 * f); });
    x[F - 1] = _mm512_maskz_loadu_ps(last, a + 16 * (F - 1));
    unrolled<Q>([&](auto q) __attribute__((always_inline)) {
      const Lanes y = _mm512_set1_ps(b[static_cast<Index>(q) * right.column]);
      unrolled<F>([&](auto f) __attribute__((always_inline)) {
        sum[q * F + f] = _mm512_fmadd_ps(x[f], y, sum[q * F + f]);
      });
    });
  }
  unrolled<F * Q>([&](auto i)
                      __attribute__((always_inline)) { _mm512_storeu_ps(sums + 16 * i, sum[i]); });
}

/// As many columns of the product of a panel as there are registers for; returns their number.
template <std::size_t F>
Index multiply_columns(const Panel& panel, Index depth, const Right& right, Index columns,
                       float* sums) {
  const auto tile = [&]<std::size_t Q>(std::integral_constant<std::size_t, Q>) {
    multiply_tile<F, Q>(panel, depth, right, sums);
    return static_cast<Index>(Q);
  };
  if constexpr (F <= 4) {
    constexpr std::size_t most = F == 4 ? 6 : 8;
    if (columns >= static_cast<Index>(most))
      return tile(std::integral_constant<std::size_t, most>());
    if (columns >= 4) return tile(std::integral_constant<std::size_t, 4>());
    if (columns >= 2) return tile(std::integral_constant<std::size_t, 2>());
  }
  return tile(std::integral_constant<std::size_t, 1>());
}

/// The product of a panel and `columns` columns of `depth` numbers.
/// `finish(row, column, sum, some)` takes the sums of `some` of the sixteen rows from `row` on.
template <class Finish>
void multiply_panel(const Panel& panel, Index depth, const Right& right, Index columns,
                    Finish&& finish) {
  const Index lanes = panel.rows > panel_rows ? 8 : (panel.rows + 15) / 16;
  const auto multiply = lanes == 8   ? multiply_columns<8>
                        : lanes == 4 ? multiply_columns<4>
                        : lanes == 3 ? multiply_columns<3>
                        : lanes == 2 ? multiply_columns<2>
                                     : multiply_columns<1>;
  const Index whole = 16 * (lanes - 1);
  const __mmask16 last = first_lanes(static_cast<std::size_t>(panel.rows - whole));
  alignas(64) float sums[panel_rows * 6];
  for (Index column = 0; column < columns;) {
    const Index done = multiply(panel, depth, right.from(column), columns - column, sums);
    const float* sum = sums;
    for (Index q = 0; q < done; ++q, ++column) {
      for (Index row = 0; row < whole; row += 16, sum += 16)
        finish(row, column, _mm512_load_ps(sum), __mmask16{0xFFFF});
      finish(whole, column, _mm512_load_ps(sum), last);
      sum += 16;
    }
  }
}

/// Calls `use(k, lanes)` for k = 0 .. depth - 1 with number k of each of at most sixteen columns.
template <class Use>
[[gnu::always_inline]] inline void for_each_transposed(const float* columns, Index stride,
                                                       Index count, Index depth, Use&& use) {
  // Where there are fewer than sixteen, the last of them stands in; nobody looks.
  const auto from = [&](Index i) { return columns + std::min(i, count - 1) * stride; };
  Lanes block[lane_count];
  Index k = 0;
  for (; k + 16 <= depth; k += 16) {
    for (Index i = 0; i < 16; ++i) block[i] = _mm512_loadu_ps(from(i) + k);
    transpose(block);
    for (Index i = 0; i < 16; ++i) use(k + i, block[i]);
  }
  if (k == depth) return;
  const __mmask16 rest = first_lanes(static_cast<std::size_t>(depth - k));
  for (Index i = 0; i < 16; ++i) block[i] = _mm512_maskz_loadu_ps(rest, from(i) + k);
  transpose(block);
  for (Index i = 0; k + i < depth; ++i) use(k + i, block[i]);
}

/// Memory for a panel of some depth, its columns side by side.
class PanelMemory {
public:
  explicit PanelMemory(Index depth)
      : data_(static_cast<float*>(::operator new (
            static_cast<std::size_t>(std::max<Index>(depth, 1)) * panel_rows * sizeof(float),
            std::align_val_t{64}))) {}

  /// Rows of A (stored by columns), copied.
  Panel copy(const float* A, Index a_stride, Index rows, Index depth) {
    const Index stride = (rows + 15) / 16 * 16;
    float* to = data_.get();
    for (Index k = 0; k < depth; ++k, A += a_stride, to += stride) {
      Index r = 0;
      for (; r + 16 <= rows; r += 16) _mm512_store_ps(to + r, _mm512_loadu_ps(A + r));
      if (r < rows)
        _mm512_store_ps(
            to + r, _mm512_maskz_loadu_ps(first_lanes(static_cast<std::size_t>(rows - r)), A + r));
    }
    return {data_.get(), stride, rows};
  }

  /// Columns of A, which become the rows of the panel.
  Panel transposed(const float* A, Index a_stride, Index rows, Index depth) {
    const Index stride = (rows + 15) / 16 * 16;
    for (Index r = 0; r < rows; r += 16)
      for_each_transposed(A + r * a_stride, a_stride, std::min<Index>(16, rows - r), depth,
                          [to = data_.get() + r, stride](Index k, Lanes lanes) {
                            _mm512_store_ps(to + k * stride, lanes);
                          });
    return {data_.get(), stride, rows};
  }

private:
  struct Release {
    void operator()(float* data) const { ::operator delete (data, std::align_val_t{64}); }
  };
  std::unique_ptr<float, Release> data_;
};

} // namespace parmac::detail
#endif
