// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "parmac/retrieval/packed_codes.hpp"
#include "parmac/retrieval/word_planes.hpp"
#include "parmac/support/error.hpp"
#include "parmac/support/random.hpp"
#include "parmac/support/threads.hpp"

#include "random_codes.hpp"

using namespace parmac;
using namespace parmac::tests;
using Bytes = std::vector<std::uint8_t>;

namespace {
Bytes bytes_of(const PackedCodes& codes) { return {codes.bytes().begin(), codes.bytes().end()}; }
} // namespace

TEST_CASE("Bits lie least significant first, a code in whole bytes") {
  PackedCodes codes(12, 2);
  codes.set(0, 0, true);
  codes.set(0, 9, true);
  codes.set(1, 7, true);
  codes.set(1, 11, true);

  CHECK(bytes_of(codes) == Bytes{0x01, 0x02, 0x80, 0x08});
  CHECK(codes.row_bytes() == 2);
  CHECK(codes.row_words() == 1);
}

TEST_CASE("Codes of every width agree with plain bits") {
  for (const Index L : awkward_widths) {
    RandomStream random(1, static_cast<std::uint64_t>(L));
    const PlainCodes plain = random_codes(random, L, 20, 2 * L);
    PackedCodes codes = packed(plain, L);
    CAPTURE(L);

    REQUIRE(codes.bits() == L);
    REQUIRE(codes.size() == 20);
    REQUIRE(static_cast<Index>(codes.bytes().size()) == 20 * ((L + 7) / 8));
    REQUIRE(codes.row_words() == (L + 63) / 64);
    std::vector<std::uint64_t> words(static_cast<std::size_t>(codes.row_words()));
    PackedCodes again(L, 20);
    for (Index i = 0; i < 20; ++i) {
      const auto& bits = plain[static_cast<std::size_t>(i)];
      codes.load_words(i, words);
      for (Index l = 0; l < 64 * codes.row_words(); ++l) {
        const bool expected = l < L && bits[static_cast<std::size_t>(l)];
        REQUIRE((words[static_cast<std::size_t>(l / 64)] >> (l % 64) & 1) == (expected ? 1U : 0U));
        if (l < L) REQUIRE(codes.get(i, l) == expected);
      }
      for (Index from = 0; from < L; ++from) {
        const std::uint64_t some = codes.bits_from(i, from);
        for (Index l = from; l < std::min(L, from + 64); ++l)
          REQUIRE((some >> (l - from) & 1) == (codes.get(i, l) ? 1U : 0U));
      }
      again.store_words(i, words);
      for (Index j = 0; j < 20; ++j)
        REQUIRE(codes.hamming(i, codes, j) ==
                plain_distance(bits, plain[static_cast<std::size_t>(j)]));
    }
    CHECK(again == codes);
    CHECK(PackedCodes(L, 20, bytes_of(codes)) == codes);
  }
}

TEST_CASE("Storing words changes its own row alone and keeps the padding 0") {
  for (const Index L : awkward_widths) {
    PackedCodes codes(L, 3);
    const std::vector<std::uint64_t> ones(static_cast<std::size_t>(codes.row_words()), ~0ULL);

    codes.store_words(1, ones);

    for (Index l = 0; l < L; ++l)
      REQUIRE((!codes.get(0, l) && codes.get(1, l) && !codes.get(2, l)));
    CHECK_NOTHROW(PackedCodes(L, 3, bytes_of(codes)));
  }
}

TEST_CASE("A bit can be set and cleared without touching its neighbours") {
  PackedCodes codes(9, 1, {0xFF, 0x01});
  codes.set(0, 3, false);
  CHECK(bytes_of(codes) == Bytes{0xF7, 0x01});
  codes.set(0, 3, true);
  codes.set(0, 8, false);
  CHECK(bytes_of(codes) == Bytes{0xFF, 0x00});
}

TEST_CASE("Rows are spans that can be written") {
  PackedCodes codes(16, 2);
  codes.row(1)[1] = 0x40;
  CHECK(codes.get(1, 14));
  CHECK(codes.row(1).size() == 2);
}

TEST_CASE("Codes grow, shrink, and are joined and selected by row") {
  PackedCodes codes(9, 2, {0x01, 0x00, 0x02, 0x01});
  codes.resize(3);
  CHECK(bytes_of(codes) == Bytes{0x01, 0x00, 0x02, 0x01, 0x00, 0x00});
  codes.resize(1);
  codes.append(PackedCodes(9, 1, {0x07, 0x01}));
  codes.append(codes);
  CHECK(codes.size() == 4);
  CHECK(bytes_of(codes) == Bytes{0x01, 0x00, 0x07, 0x01, 0x01, 0x00, 0x07, 0x01});
  CHECK(codes.select(std::vector<Index>{1, 1, 0}) ==
        PackedCodes(9, 3, {0x07, 0x01, 0x07, 0x01, 0x01, 0x00}));
  CHECK(codes.select({}).size() == 0);
}

TEST_CASE("Codes are equal when bits, number and contents are") {
  CHECK(PackedCodes(9, 1) == PackedCodes(9, 1));
  CHECK_FALSE(PackedCodes(9, 1) == PackedCodes(10, 1));
  CHECK_FALSE(PackedCodes(9, 1) == PackedCodes(9, 2));
  CHECK_FALSE(PackedCodes(9, 0) == PackedCodes(10, 0));
  CHECK_FALSE(PackedCodes(9, 1) == PackedCodes(9, 1, {0x01, 0x00}));
}

TEST_CASE("Wrong sizes of codes are refused by name") {
  CHECK_THROWS_AS(PackedCodes(0, 1), ConfigError);
  CHECK_THROWS_WITH(PackedCodes(0, 1), Catch::Matchers::Contains("codes of 0 bits"));
  CHECK_THROWS_AS(PackedCodes(-3), ConfigError);
  CHECK_THROWS_AS(PackedCodes(8, -1), ConfigError);
  CHECK_THROWS_AS(PackedCodes(64, std::numeric_limits<Index>::max() / 2), ConfigError);
  CHECK_THROWS_AS(PackedCodes(9, 2, Bytes(3)), ShapeError);
  CHECK_THROWS_AS(PackedCodes(9, 2, Bytes(5)), ShapeError);
  CHECK_THROWS_AS(PackedCodes(9, 0, Bytes(2)), ShapeError);
  CHECK_THROWS_AS(PackedCodes(9, -1, Bytes(0)), ConfigError);
  CHECK_THROWS_AS(PackedCodes(9, 2, {0xFF, 0x01, 0x00, 0x02}), DataError);
  CHECK_THROWS_WITH(PackedCodes(9, 2, {0xFF, 0x01, 0x00, 0x02}),
                    Catch::Matchers::Contains("code 1") && Catch::Matchers::Contains("9 bits"));
}

TEST_CASE("Rows, bits and words that are not there are refused") {
  PackedCodes codes(9, 2);
  std::vector<std::uint64_t> two(2);
  CHECK_THROWS_AS(codes.row(2), ShapeError);
  CHECK_THROWS_AS(codes.row(-1), ShapeError);
  CHECK_THROWS_AS(codes.get(0, 9), ShapeError);
  CHECK_THROWS_AS(codes.set(0, -1, true), ShapeError);
  CHECK_THROWS_AS(codes.bits_from(2, 0), ShapeError);
  CHECK_THROWS_AS(codes.bits_from(0, 9), ShapeError);
  codes.fetch(std::vector<Index>{-1, 0, 2, std::numeric_limits<Index>::max()});
  CHECK_THROWS_AS(codes.load_words(0, two), ShapeError);
  CHECK_THROWS_AS(codes.store_words(0, two), ShapeError);
  CHECK_THROWS_AS(codes.select(std::vector<Index>{0, 2}), ShapeError);
  CHECK_THROWS_AS(codes.append(PackedCodes(10, 1)), ShapeError);
  CHECK_THROWS_AS(codes.hamming(0, PackedCodes(10, 1), 0), ShapeError);
  CHECK(codes.size() == 2);
}

TEST_CASE("Threads write distinct rows at once") {
  PackedCodes codes(9, 1000);
  parallel_for(1000, 4, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      codes.store_words(i, std::vector<std::uint64_t>{static_cast<std::uint64_t>(i % 512)});
  });
  std::vector<std::uint64_t> word(1);
  for (Index i = 0; i < 1000; ++i) {
    codes.load_words(i, word);
    REQUIRE(word[0] == static_cast<std::uint64_t>(i % 512));
  }
}

TEST_CASE("Bits are counted by fields as by the processor") {
  RandomStream random(2);
  CHECK(detail::count_bits_by_fields(0) == 0);
  CHECK(detail::count_bits_by_fields(~0ULL) == 64);
  for (int i = 0; i < 64; ++i) CHECK(detail::count_bits_by_fields(1ULL << i) == 1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t x = random.word64() & random.word64();
    REQUIRE(detail::count_bits_by_fields(x) == static_cast<std::uint64_t>(std::popcount(x)));
  }
}

TEST_CASE("Unpacked bits are the bits, as a code a column and as a bit a column") {
  RandomStream random(11);
  for (const Index L : {1, 7, 8, 31, 32, 33, 63, 64, 65, 130}) {
    PackedCodes codes(L, 9);
    for (Index i = 0; i < 9; ++i)
      for (Index l = 0; l < L; ++l) codes.set(i, l, random.below(2) == 1);
    Eigen::MatrixXd Z(L, 5);
    codes.unpack<double>(3, Z);
    bool good = true;
    for (Index j = 0; j < 5; ++j)
      for (Index l = 0; l < L; ++l) good = good && Z(l, j) == (codes.get(3 + j, l) ? 1.0 : 0.0);
    CHECK(good);
    const std::vector<Index> which{8, 0, 0, 4};
    const Index first = L / 3;
    Eigen::MatrixXf Y(4, L - first);
    codes.unpack(which, first, -1.0F, 2.0F, Y);
    for (std::size_t j = 0; j < which.size(); ++j)
      for (Index l = 0; l < Y.cols(); ++l)
        good = good && Y(static_cast<Index>(j), l) == (codes.get(which[j], first + l) ? 2 : -1);
    CHECK(good);
    Eigen::MatrixXf wide(4, L + 1), tall(3, 1);
    CHECK_THROWS_AS(codes.unpack(which, 0, 0, 1, wide), parmac::ShapeError);
    CHECK_THROWS_AS(codes.unpack(which, 0, 0, 1, tall), parmac::ShapeError);
    Eigen::MatrixXd beyond(L, 7);
    CHECK_THROWS_AS(codes.unpack<double>(3, beyond), parmac::ShapeError);
  }
}
