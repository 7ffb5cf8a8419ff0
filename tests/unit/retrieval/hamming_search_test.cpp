// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <algorithm>
#include <vector>

#include "parmac/retrieval/hamming_search.hpp"
#include "parmac/support/error.hpp"
#include "parmac/support/random.hpp"

#include "random_codes.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

void check_against_ranking(const Neighbours<Index>& found, const PlainCodes& base,
                           const PlainCodes& queries, Index k, Index first_row = 0) {
  const Index expected = std::min(k, static_cast<Index>(base.size()));
  REQUIRE(found.rows.rows() == expected);
  REQUIRE(found.distances.rows() == expected);
  REQUIRE(found.rows.cols() == static_cast<Index>(queries.size()));
  REQUIRE(found.distances.cols() == static_cast<Index>(queries.size()));
  for (Index q = 0; q < found.rows.cols(); ++q) {
    const auto ranking = plain_ranking(base, queries[static_cast<std::size_t>(q)]);
    for (Index i = 0; i < expected; ++i) {
      REQUIRE(found.distances(i, q) == ranking[static_cast<std::size_t>(i)].first);
      REQUIRE(found.rows(i, q) == ranking[static_cast<std::size_t>(i)].second + first_row);
    }
  }
}

} // namespace

TEST_CASE("The search equals a sorted brute force at every width") {
  for (const Index L : awkward_widths)
    for (const Index N : {1, 31, 33, 150}) {
      RandomStream random(3, static_cast<std::uint64_t>(L), static_cast<std::uint64_t>(N));
      const auto base = random_codes(random, L, N, L);
      const auto queries = random_codes(random, L, 5, L);
      for (const Index k : {Index{1}, Index{7}, N, N + 10}) {
        CAPTURE(L, N, k);
        check_against_ranking(hamming_search(packed(base, L), packed(queries, L), k), base, queries,
                              k);
      }
    }
}

TEST_CASE("A base of several stretches and many blocks of queries is searched whole") {
  for (const Index L : {Index{12}, Index{64}, Index{700}}) {
    RandomStream random(4, static_cast<std::uint64_t>(L));
    const auto base = random_codes(random, L, 5000, 12); // with many ties
    const auto queries = random_codes(random, L, 3, 12);
    CAPTURE(L);
    for (const Index k : {1, 10, 1000})
      check_against_ranking(hamming_search(packed(base, L), packed(queries, L), k), base, queries,
                            k);
  }
  RandomStream random(5);
  const auto base = random_codes(random, 16, 50, 16);
  const auto queries = random_codes(random, 16, 150, 16);
  check_against_ranking(hamming_search(packed(base, 16), packed(queries, 16), 3), base, queries, 3);
}

TEST_CASE("Equally near codes come in the order of their rows") {
  const Neighbours<Index> found = hamming_search(PackedCodes(70, 500), PackedCodes(70, 1), 120);
  for (Index i = 0; i < 120; ++i) {
    REQUIRE(found.rows(i, 0) == i);
    REQUIRE(found.distances(i, 0) == 0);
  }
}

TEST_CASE("Rows that get ever nearer are found though each displaces another") {
  const Index L = 200;
  PlainCodes base;
  for (Index i = 0; i < 200; ++i) {
    base.emplace_back(static_cast<std::size_t>(L), false);
    std::fill_n(base.back().begin(), L - i, true);
  }
  const PlainCodes query{std::vector<bool>(static_cast<std::size_t>(L), false)};
  for (const Index k : {1, 2, 50})
    check_against_ranking(hamming_search(packed(base, L), packed(query, L), k), base, query, k);
}

TEST_CASE("The search gives the same for any number of threads") {
  RandomStream random(6);
  const auto base = random_codes(random, 33, 700, 10);
  const auto queries = random_codes(random, 33, 131, 10);
  for (const int threads : {1, 2, 4, 200})
    check_against_ranking(
        hamming_search(packed(base, 33), packed(queries, 33), 20, {.threads = threads}), base,
        queries, 20);
}

TEST_CASE("Neighbours found in shares merge to those of the whole base") {
  RandomStream random(7);
  for (int round = 0; round < 30; ++round) {
    const Index N = static_cast<Index>(random.below(60));
    const Index k = static_cast<Index>(random.below(30));
    const auto base = random_codes(random, 9, N, 6);
    const auto queries = random_codes(random, 9, 4, 6);
    const auto cuts = random_cuts(random, N, 5);
    std::vector<Neighbours<Index>> shares;
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s)
      shares.push_back(hamming_search(share_of(packed(base, 9), cuts[s], cuts[s + 1]),
                                      packed(queries, 9), k, {.first_row = cuts[s]}));
    CAPTURE(N, k);
    check_against_ranking(merge_neighbours<Index>(shares, k), base, queries, k);
  }
}

TEST_CASE("Merging refuses what does not belong together") {
  const PackedCodes base(8, 3);
  const auto one = hamming_search(base, PackedCodes(8, 2), 2);
  const auto other = hamming_search(base, PackedCodes(8, 1), 2);
  auto torn = one;
  torn.distances.resize(1, 2);
  using List = std::vector<Neighbours<Index>>;
  CHECK_THROWS_AS(merge_neighbours<Index>(List{}, 2), ConfigError);
  CHECK_THROWS_AS(merge_neighbours<Index>(List{one}, -1), ConfigError);
  CHECK_THROWS_AS(merge_neighbours<Index>(List{one, other}, 2), ShapeError);
  CHECK_THROWS_AS(merge_neighbours<Index>(List{torn}, 2), ShapeError);
  CHECK_THROWS_AS(merge_neighbours<Index>(List{one, one}, 2), DataError);
}

TEST_CASE("Empty searches have empty results and wrong ones are refused") {
  CHECK(hamming_search(PackedCodes(8, 0), PackedCodes(8, 2), 3).rows.rows() == 0);
  CHECK(hamming_search(PackedCodes(8, 0), PackedCodes(8, 2), 3).rows.cols() == 2);
  CHECK(hamming_search(PackedCodes(8, 3), PackedCodes(8, 2), 0).rows.rows() == 0);
  CHECK(hamming_search(PackedCodes(8, 3), PackedCodes(8, 0), 2).rows.cols() == 0);
  CHECK_THROWS_AS(hamming_search(PackedCodes(8, 3), PackedCodes(8, 2), -1), ConfigError);
  CHECK_THROWS_AS(hamming_search(PackedCodes(8, 3), PackedCodes(8, 2), 1, {.threads = 0}),
                  ConfigError);
  CHECK_THROWS_AS(hamming_search(PackedCodes(8, 3), PackedCodes(9, 2), 1), ShapeError);
  CHECK_THROWS_WITH(hamming_search(PackedCodes(8, 3), PackedCodes(9, 2), 1),
                    Catch::Matchers::Contains("8 bits") && Catch::Matchers::Contains("9 bits"));
}
