// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>

namespace parmac {

/// One block of the counter-based generator Philox-4x32-10: four random words as a pure function
/// of a counter and a key, so that a stream needs no state that would have to travel.
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                            std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// A stream of random numbers that is a function of its coordinates alone, such as
/// `RandomStream{seed, iteration, epoch, rank}`: whoever names the same coordinates draws the same
/// numbers, in whatever order the machines run. Up to five coordinates are told apart. Streams of
/// different coordinates do not overlap before 2^32 draws of four words.
class RandomStream {
public:
  explicit RandomStream(std::uint64_t seed, std::uint64_t a = 0, std::uint64_t b = 0,
                        std::uint64_t c = 0, std::uint64_t d = 0) {
    const std::uint64_t folded = mix(mix(mix(mix(mix(seed) ^ a) ^ b) ^ c) ^ d);
    key_ = {static_cast<std::uint32_t>(folded), static_cast<std::uint32_t>(folded >> 32)};
    const std::uint64_t second = mix(folded + 0x5851F42D4C957F2D);
    counter_ = {0, 0, static_cast<std::uint32_t>(second), static_cast<std::uint32_t>(second >> 32)};
  }

  /// The next 32 random bits.
  std::uint32_t word() {
    if (used_ == 4) {
      block_ = philox(counter_, key_);
      if (++counter_[0] == 0) ++counter_[1];
      used_ = 0;
    }
    return block_[used_++];
  }

  /// The next 64 random bits.
  std::uint64_t word64() {
    const std::uint64_t high = word();
    return high << 32 | word();
  }

  /// Uniform on 0 .. n-1, without bias (Lemire's multiplication with rejection). @pre n > 0
  std::uint64_t below(std::uint64_t n) {
    if (n <= 0xFFFFFFFF) {
      const auto small = static_cast<std::uint32_t>(n);
      for (;;) {
        const std::uint64_t product = std::uint64_t{word()} * small;
        const auto low = static_cast<std::uint32_t>(product);
        // What is refused is below n, so that the division is seldom needed.
        if (low >= small || low >= (0U - small) % small) return product >> 32;
      }
    }
    const std::uint64_t reject = (0ULL - n) % n;
    for (;;)
      if (const std::uint64_t draw = word64(); draw >= reject) return draw % n;
  }

  /// Uniform on [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(word64() >> 11) * 0x1p-53; }

  /// Standard normal (Box and Muller's transform; the second number of a pair is not kept).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  /// Puts the items into a random order, every order being as likely (Fisher and Yates). O(n).
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left)
      std::swap(items[left - 1], items[static_cast<std::size_t>(below(left))]);
  }

private:
  // The finaliser of SplitMix64: an invertible map in which every bit moves half of the others.
  static constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
  }

  std::array<std::uint32_t, 2> key_{};
  std::array<std::uint32_t, 4> counter_{};
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

} // namespace parmac
