// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/little_endian.hpp"

namespace parmac {

namespace detail {

/// The first `count` (1 to 8) bytes as a number, least significant byte first.
[[nodiscard]] inline std::uint64_t load_word(const std::uint8_t* from, Index count) {
  if (count == 8) return load_little<std::uint64_t>(reinterpret_cast<const std::byte*>(from));
  if (count == 4) return load_little<std::uint32_t>(reinterpret_cast<const std::byte*>(from));
  std::uint64_t word = 0;
  for (Index b = 0; b < count; ++b) word |= std::uint64_t{from[b]} << (8 * b);
  return word;
}

/// The opposite of `load_word`; touches `count` bytes and no other.
inline void store_word(std::uint8_t* to, std::uint64_t word, Index count) {
  if constexpr (std::endian::native == std::endian::little) {
    if (count == 8) {
      std::memcpy(to, &word, 8);
      return;
    }
  }
  for (Index b = 0; b < count; ++b) to[b] = static_cast<std::uint8_t>(word >> (8 * b));
}

} // namespace detail

/// N binary codes of L bits, one bit a bit: a row of ceil(L/8) bytes a code, row after row without
/// gaps. Bit l of a code is bit l mod 8 (the least significant first) of byte l / 8 of its row, as
/// in faiss and in numpy's `packbits(..., bitorder="little")`; the padding bits of a row's last
/// byte are 0. It stores the auxiliary coordinates Z during training and the hash codes afterwards.
///
/// Distinct rows may be read and written by several threads at once, as no two share a byte.
/// Access to a row takes O(1) to find it, and checks the row's number.
class PackedCodes {
public:
  /// `count` codes of `bits` bits, all 0.
  /// @throws ConfigError unless bits >= 1 and count >= 0, or when their bytes cannot be numbered.
  explicit PackedCodes(Index bits, Index count = 0) : bits_(bits) {
    require(bits >= 1, "codes of ", bits, " bits were asked for; a code has at least 1 bit");
    resize(count);
  }

  /// Takes over the bytes of `count` codes.
  /// @throws ConfigError as above.
  /// @throws ShapeError unless there are count * ceil(bits/8) bytes.
  /// @throws DataError when a padding bit is 1.
  PackedCodes(Index bits, Index count, std::vector<std::uint8_t> bytes) : PackedCodes(bits) {
    const std::size_t expected = bytes_of(count);
    require<ShapeError>(bytes.size() == expected, count, " codes of ", bits, " bits take ",
                        expected, " bytes, but ", bytes.size(), " were given");
    for (Index i = 0; i < count; ++i)
      require<DataError>(
          (bytes[static_cast<std::size_t>((i + 1) * row_bytes() - 1)] & ~last_byte_mask()) == 0,
          "code ", i, " has a bit set beyond its ", bits, " bits; padding bits must be 0");
    size_ = count;
    bytes_ = std::move(bytes);
  }

  [[nodiscard]] Index bits() const { return bits_; }                               ///< L
  [[nodiscard]] Index size() const { return size_; }                               ///< N
  [[nodiscard]] Index row_bytes() const { return bits_ / 8 + (bits_ % 8 != 0); }   ///< ceil(L/8)
  [[nodiscard]] Index row_words() const { return bits_ / 64 + (bits_ % 64 != 0); } ///< ceil(L/64)

  /// All N * row_bytes() bytes.
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

  /// The bytes of code i. @throws ShapeError unless 0 <= i < N.
  [[nodiscard]] std::span<const std::uint8_t> row(Index i) const {
    check_row(i);
    return bytes().subspan(static_cast<std::size_t>(i * row_bytes()),
                           static_cast<std::size_t>(row_bytes()));
  }
  /// The bytes of code i, to be written. @throws ShapeError unless 0 <= i < N.
  /// @post Whoever writes leaves the padding bits 0; distances and equality count on it.
  [[nodiscard]] std::span<std::uint8_t> row(Index i) {
    check_row(i);
    return std::span(bytes_).subspan(static_cast<std::size_t>(i * row_bytes()),
                                     static_cast<std::size_t>(row_bytes()));
  }

  /// Bit l of code i. @throws ShapeError unless 0 <= i < N and 0 <= l < L.
  [[nodiscard]] bool get(Index i, Index l) const {
    check_bit(l);
    return (row(i)[static_cast<std::size_t>(l / 8)] >> (l % 8) & 1) != 0;
  }
  /// Makes bit l of code i 1 or 0. @throws ShapeError unless 0 <= i < N and 0 <= l < L.
  void set(Index i, Index l, bool value) {
    check_bit(l);
    std::uint8_t& byte = row(i)[static_cast<std::size_t>(l / 8)];
    const auto bit = static_cast<std::uint8_t>(1U << (l % 8));
    byte = static_cast<std::uint8_t>(value ? byte | bit : byte & ~bit);
  }

  /// Bits l .. l + 63 of code i, bit l lowest; those beyond the L-th are not specified.
  /// @throws ShapeError unless 0 <= i < N and 0 <= l < L.
  [[nodiscard]] std::uint64_t bits_from(Index i, Index l) const {
    check_row(i);
    check_bit(l);
    const Index first = i * row_bytes() + l / 8;
    const Index left = static_cast<Index>(bytes_.size()) - first; // perhaps of further rows
    const std::uint8_t* from = bytes_.data() + first;
    const Index shift = l % 8;
    std::uint64_t some = detail::load_word(from, std::min<Index>(8, left)) >> shift;
    if (shift > 0 && left > 8) some |= std::uint64_t{from[8]} << (64 - shift);
    return some;
  }

  /// Copies code i into row_words() words: bit l is bit l mod 64 of word l / 64, the rest are 0.
  /// @throws ShapeError unless 0 <= i < N and the number of words fits.
  void load_words(Index i, std::span<std::uint64_t> words) const {
    check_words(words.size());
    const std::uint8_t* from = row(i).data();
    for (Index w = 0; w < row_words(); ++w)
      words[static_cast<std::size_t>(w)] =
          detail::load_word(from + 8 * w, std::min<Index>(8, row_bytes() - 8 * w));
  }
  /// Makes code i of row_words() words; bits beyond the L-th are ignored.
  /// @throws ShapeError unless 0 <= i < N and the number of words fits.
  void store_words(Index i, std::span<const std::uint64_t> words) {
    check_words(words.size());
    const std::span<std::uint8_t> to = row(i);
    for (Index w = 0; w < row_words(); ++w)
      detail::store_word(to.data() + 8 * w, words[static_cast<std::size_t>(w)],
                         std::min<Index>(8, row_bytes() - 8 * w));
    to.back() &= last_byte_mask();
  }

  /// Asks the processor to bring codes near that are wanted soon; nothing waits for them. A number
  /// that is no code's is passed over.
  // Inline by force: GCC takes a function that does nothing else for one without effect.
  [[gnu::always_inline]] void fetch(std::span<const Index> which) const {
    for (const Index i : which)
      if (i >= 0 && i < size_) __builtin_prefetch(bytes_.data() + i * row_bytes(), 0, 2);
  }

  /// Makes Y(j, l) `one` or `zero` as bit first_bit + l of code which[j] is; Y is B x m.
  /// @throws ShapeError unless 0 <= which[j] < N, there are those bits, and Y has a row a code.
  void unpack(std::span<const Index> which, Index first_bit, float zero, float one,
              Eigen::Ref<Eigen::MatrixXf> Y) const {
    require<ShapeError>(Y.rows() == static_cast<Index>(which.size()) && first_bit >= 0 &&
                            first_bit + Y.cols() <= bits_,
                        "bits ", first_bit, " to ", first_bit + Y.cols() - 1, " of ", which.size(),
                        " codes of ", bits_, " bits do not fit into ", Y.rows(), " x ", Y.cols());
    std::vector<std::uint32_t> chosen(which.size());
    for (Index l = 0; l < Y.cols();) {
      const Index word = (first_bit + l) / 32;
      const Index left = row_bytes() - 4 * word;
      for (std::size_t j = 0; j < which.size(); ++j) {
        const std::uint8_t* from = row(which[j]).data() + 4 * word;
        chosen[j] = static_cast<std::uint32_t>(detail::load_word(from, std::min<Index>(4, left)));
      }
      for (; l < Y.cols() && (first_bit + l) / 32 == word; ++l) {
        const std::uint32_t bit = 1U << static_cast<unsigned>((first_bit + l) % 32);
        float* y = Y.col(l).data();
        for (std::size_t j = 0; j < chosen.size(); ++j) y[j] = (chosen[j] & bit) != 0 ? one : zero;
      }
    }
  }
  /// Makes column j of Z, L x B, the bits of code first + j, as numbers 0 and 1.
  /// @throws ShapeError unless there are those codes and Z has L rows.
  template <class Scalar>
  void unpack(Index first,
              Eigen::Ref<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>> Z) const {
    require<ShapeError>(Z.rows() == bits_, "codes of ", bits_, " bits do not fit into ", Z.rows(),
                        " rows");
    for (Index j = 0; j < Z.cols(); ++j) {
      const std::uint8_t* from = row(first + j).data();
      for (Index l = 0; l < bits_; l += 64) {
        const std::uint64_t word =
            detail::load_word(from + l / 8, std::min<Index>(8, row_bytes() - l / 8));
        Scalar* z = Z.col(j).data() + l;
        for (Index b = 0; b < std::min<Index>(64, bits_ - l); ++b)
          z[b] = static_cast<Scalar>(word >> b & 1);
      }
    }
  }

  /// Keeps the first `count` codes, or adds codes of zeros up to `count`.
  /// @throws ConfigError unless count >= 0, or when the bytes cannot be numbered.
  void resize(Index count) {
    bytes_.resize(bytes_of(count));
    size_ = count;
  }
  /// Adds all codes of `other` behind the own ones. @throws ShapeError unless both have L bits.
  void append(const PackedCodes& other) {
    require_same_bits(other);
    const Index own = size_;
    const std::size_t added = other.bytes_.size(); // before resizing, as `other` may be *this
    resize(own + other.size_);
    std::copy_n(other.bytes_.begin(), added, bytes_.begin() + own * row_bytes());
  }
  /// A copy of the given codes, in the given order. @throws ShapeError unless 0 <= which[j] < N.
  [[nodiscard]] PackedCodes select(std::span<const Index> which) const {
    PackedCodes chosen(bits_, static_cast<Index>(which.size()));
    auto to = chosen.bytes_.begin();
    for (const Index i : which) {
      const auto from = row(i);
      to = std::copy(from.begin(), from.end(), to);
    }
    return chosen;
  }

  /// The number of bits in which code i and code j of `other` differ.
  /// @throws ShapeError unless both have L bits, 0 <= i < N and 0 <= j < other.size().
  [[nodiscard]] Index hamming(Index i, const PackedCodes& other, Index j) const {
    require_same_bits(other);
    const std::uint8_t* a = row(i).data();
    const std::uint8_t* b = other.row(j).data();
    Index distance = 0;
    for (Index at = 0; at < row_bytes(); at += 8) {
      const Index count = std::min<Index>(8, row_bytes() - at);
      distance +=
          std::popcount(detail::load_word(a + at, count) ^ detail::load_word(b + at, count));
    }
    return distance;
  }

  /// Equal number of bits, of codes, and equal bits.
  friend bool operator==(const PackedCodes&, const PackedCodes&) = default;

  /// @throws ShapeError unless `other` has codes of as many bits.
  void require_same_bits(const PackedCodes& other) const {
    require<ShapeError>(bits_ == other.bits_, "codes of ", bits_, " bits and codes of ",
                        other.bits_, " bits do not go together");
  }

private:
  [[nodiscard]] std::uint8_t last_byte_mask() const {
    return static_cast<std::uint8_t>(0xFF >> (8 * row_bytes() - bits_));
  }
  [[nodiscard]] std::size_t bytes_of(Index count) const {
    require(count >= 0, "the number of codes is ", count, "; it must not be negative");
    require(count <= std::numeric_limits<Index>::max() / row_bytes(), count, " codes of ", bits_,
            " bits are more than memory can hold");
    return static_cast<std::size_t>(count * row_bytes());
  }
  void check_row(Index i) const {
    require<ShapeError>(i >= 0 && i < size_, "there is no code ", i, " among ", size_);
  }
  void check_bit(Index l) const {
    require<ShapeError>(l >= 0 && l < bits_, "there is no bit ", l, " in codes of ", bits_,
                        " bits");
  }
  void check_words(std::size_t count) const {
    require<ShapeError>(count == static_cast<std::size_t>(row_words()), "a code of ", bits_,
                        " bits takes ", row_words(), " words, but ", count, " were given");
  }

  Index bits_;
  Index size_ = 0;
  std::vector<std::uint8_t> bytes_;
};

} // namespace parmac
