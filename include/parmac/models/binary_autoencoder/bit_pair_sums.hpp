// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parmac/retrieval/packed_codes.hpp"
#include "parmac/retrieval/word_planes.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

namespace detail {

/// The transpose of 64 x 64 bits, bit j of rows[i] becoming bit i of rows[j]: halves are exchanged,
/// then quarters within them, and so on.
inline void transpose_bits(std::array<std::uint64_t, 64>& rows) {
  std::uint64_t low = 0x00000000FFFFFFFF; // of every two fields, the lower one
  for (std::size_t half = 32; half >= 1; half /= 2, low ^= low << half)
    for (std::size_t first = 0; first < 64; first += 2 * half)
      for (std::size_t i = first; i < first + half; ++i) {
        const std::uint64_t moved = (rows[i] >> half ^ rows[i + half]) & low;
        rows[i] ^= moved << half;
        rows[i + half] ^= moved;
      }
}

} // namespace detail

/// The sum of (z,1)(z,1)' over the codes first .. first + count - 1, (L + 1) x (L + 1): how many
/// have bits k and l both, in its last row and column how many have bit l, in the corner `count`.
/// All whole numbers, exact. Bits are turned about, so that 64 codes are counted at a time:
/// O(count L^2 / 64). `progress()` is called now and then. @throws ShapeError unless there are
/// those codes.
template <class Progress>
[[nodiscard]] Eigen::MatrixXd bit_pair_sums(const PackedCodes& Z, Index first, Index count,
                                            Progress&& progress) {
  constexpr Index stretch = 64; // words of 64 codes that are counted at a time, near at hand
  const Index L = Z.bits();
  const Index rows = Z.row_words() * 64;
  std::vector<std::uint64_t> planes(static_cast<std::size_t>(rows * stretch)); // a bit a row
  const auto plane = [&](Index l) { return planes.data() + l * stretch; };
  std::vector<std::uint64_t> words(static_cast<std::size_t>(Z.row_words()));
  std::vector<std::array<std::uint64_t, 64>> turned(words.size());
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(L + 1, L + 1);
  for (Index begin = 0; begin < count; begin += 64 * stretch) {
    progress();
    const Index some = std::min(64 * stretch, count - begin);
    std::fill(planes.begin(), planes.end(), 0);
    for (Index block = 0; 64 * block < some; ++block) {
      for (auto& t : turned) t.fill(0);
      for (Index i = 0; i < std::min<Index>(64, some - 64 * block); ++i) {
        Z.load_words(first + begin + 64 * block + i, words);
        for (std::size_t w = 0; w < words.size(); ++w)
          turned[w][static_cast<std::size_t>(i)] = words[w];
      }
      for (Index l = 0; l < rows; ++l) {
        auto& t = turned[static_cast<std::size_t>(l / 64)];
        if (l % 64 == 0) detail::transpose_bits(t);
        plane(l)[block] = t[static_cast<std::size_t>(l % 64)];
      }
    }
    for (Index k = 0; k < L; ++k)
      for (Index l = k; l < L; ++l) {
        const std::uint64_t* a = plane(k);
        const std::uint64_t* b = plane(l);
        std::uint64_t both = 0;
        for (Index w = 0; w < stretch; ++w) both += detail::count_bits(a[w] & b[w]);
        sums(k, l) += static_cast<double>(both);
      }
  }
  sums.col(L).head(L) = sums.diagonal().head(L);
  sums(L, L) = static_cast<double>(count);
  sums.triangularView<Eigen::StrictlyLower>() = sums.transpose();
  return sums;
}

} // namespace parmac
