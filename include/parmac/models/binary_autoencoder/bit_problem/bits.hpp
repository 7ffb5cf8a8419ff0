// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "parmac/support/index.hpp"

namespace parmac::bit_problem {

/// Codes are packed: bit l of a code is bit l % 64 of its word l / 64; bits beyond L are 0.
using Word = std::uint64_t;
inline constexpr Index word_bits = 64;

/// How many words a code of L bits takes.
[[nodiscard]] constexpr Index words_for(Index L) { return (L + word_bits - 1) / word_bits; }

/// Whether bit l is set.
[[nodiscard]] inline bool bit(std::span<const Word> z, Index l) {
  return (z[static_cast<std::size_t>(l / word_bits)] >> (l % word_bits) & 1) != 0;
}

/// Turns bit l over.
inline void flip(std::span<Word> z, Index l) {
  z[static_cast<std::size_t>(l / word_bits)] ^= Word{1} << (l % word_bits);
}

/// Clears what lies beyond L bits.
inline void clear_padding(std::span<Word> z, Index L) {
  if (L % word_bits != 0) z.back() &= (Word{1} << (L % word_bits)) - 1;
}

/// The number of bits in which two codes of as many words differ.
[[nodiscard]] inline Index hamming(std::span<const Word> a, std::span<const Word> b) {
  Index count = 0;
  for (std::size_t w = 0; w < a.size(); ++w) count += std::popcount(a[w] ^ b[w]);
  return count;
}

} // namespace parmac::bit_problem
