// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "parmac/retrieval/packed_codes.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac::detail {

/// The number of 1 bits by adding neighbouring fields; of simple operations that a compiler turns
/// into vector instructions where the processor has none for counting.
[[nodiscard]] constexpr std::uint64_t count_bits_by_fields(std::uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F;
  x += x >> 8;
  x += x >> 16;
  x += x >> 32;
  return x & 0x7F;
}

/// The number of 1 bits. Without a counting instruction `std::popcount` would be a function call.
[[nodiscard]] constexpr std::uint64_t count_bits(std::uint64_t x) {
#if defined(__x86_64__) && !defined(__POPCNT__)
  return count_bits_by_fields(x);
#else
  return static_cast<std::uint64_t>(std::popcount(x));
#endif
}

/// A stretch of codes turned about for searching: word w of all codes lies together, in groups of
/// 32 codes, so that the distances of a whole group are computed by vector instructions.
class WordPlanes {
public:
  static constexpr Index group = 32;
  // 32 bits, as the vector instructions that every processor has cannot compare 64.
  using Distances = std::array<std::int32_t, group>;

  /// Planes for codes of `words` words. They take 16 KB, or one group when that is more: a stretch
  /// stays in the fastest cache while all queries pass over it.
  explicit WordPlanes(Index words)
      : words_(words),
        capacity_(std::max<Index>(1, 64 / words) * group),
        planes_(static_cast<std::size_t>(words * capacity_)) {}

  /// The most codes that `load` takes at a time.
  [[nodiscard]] Index capacity() const { return capacity_; }

  /// Takes up codes first .. first + count - 1. @pre count <= capacity()
  void load(const PackedCodes& codes, Index first, Index count) {
    const Index row_bytes = codes.row_bytes();
    const std::uint8_t* from = codes.bytes().data() + first * row_bytes;
    for (Index i = 0; i < count; ++i, from += row_bytes)
      for (Index w = 0; w < words_; ++w)
        planes_[static_cast<std::size_t>(((i / group) * words_ + w) * group + i % group)] =
            load_word(from + 8 * w, std::min<Index>(8, row_bytes - 8 * w));
  }

  /// Hamming distances of codes 32 g .. 32 g + 31 of the stretch to a query of as many words. Those
  /// of codes that were not loaded are meaningless.
  void distances(Index g, const std::uint64_t* query, Distances& out) const {
    const std::uint64_t* plane = planes_.data() + g * words_ * group;
    switch (words_) { // known numbers of words are unrolled
    case 1:
      return fixed<1>(plane, query, out);
    case 2:
      return fixed<2>(plane, query, out);
    case 3:
      return fixed<3>(plane, query, out);
    case 4:
      return fixed<4>(plane, query, out);
    default:
      break;
    }
    out.fill(0);
    for (Index w = 0; w < words_; ++w, plane += group)
      for (std::size_t j = 0; j < out.size(); ++j)
        out[j] += static_cast<std::int32_t>(count_bits(plane[j] ^ query[w]));
  }

private:
  template <std::size_t words>
  static void fixed(const std::uint64_t* plane, const std::uint64_t* query, Distances& out) {
    for (std::size_t j = 0; j < out.size(); ++j) {
      std::uint64_t distance = 0;
      for (std::size_t w = 0; w < words; ++w)
        distance += count_bits(plane[w * out.size() + j] ^ query[w]);
      out[j] = static_cast<std::int32_t>(distance);
    }
  }

  Index words_;
  Index capacity_;
  std::vector<std::uint64_t> planes_;
};

/// Computes the Hamming distance of every query first .. last - 1 to every base code, and calls
/// `visit(q, row, distances, count)` for `count` base codes from number `row` on at a time; for any
/// query the rows ascend. @pre both have codes of as many bits
/// @throws ConfigError unless L < 2^31.
template <class Visit>
void visit_distances(const PackedCodes& base, const PackedCodes& queries, Index first, Index last,
                     Visit&& visit) {
  require(std::in_range<std::int32_t>(base.bits()), "distances of codes of ", base.bits(),
          " bits are not searched; a code may have 2^31 - 1 bits");
  const Index words = base.row_words();
  std::vector<std::uint64_t> query_words(static_cast<std::size_t>((last - first) * words));
  for (Index q = first; q < last; ++q)
    queries.load_words(q, std::span(query_words)
                              .subspan(static_cast<std::size_t>((q - first) * words),
                                       static_cast<std::size_t>(words)));

  WordPlanes planes(words);
  WordPlanes::Distances distances;
  for (Index stretch = 0; stretch < base.size(); stretch += planes.capacity()) {
    const Index count = std::min(planes.capacity(), base.size() - stretch);
    planes.load(base, stretch, count);
    for (Index q = first; q < last; ++q)
      for (Index at = 0; at < count; at += WordPlanes::group) {
        planes.distances(at / WordPlanes::group, query_words.data() + (q - first) * words,
                         distances);
        visit(q, stretch + at, distances, std::min(WordPlanes::group, count - at));
      }
  }
}

} // namespace parmac::detail
