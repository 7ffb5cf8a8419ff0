// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "parmac/retrieval/hamming_search.hpp"
#include "parmac/retrieval/metrics.hpp"
#include "parmac/support/error.hpp"
#include "parmac/support/random.hpp"

#include "random_codes.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

// Six codes of 4 bits at distances 1, 2, 0, 1, 1, 3 from the query 0000; ranked by row:
// 2 | 0 3 4 | 1 | 5.
const PackedCodes six(4, 6, {0b0001, 0b0011, 0b0000, 0b0010, 0b1000, 0b0111});
const PackedCodes zero(4, 1);

double recall(Index neighbour, Index R, Ties ties) {
  return recall_at(six, zero, std::vector<Index>{neighbour}, R, ties);
}

IndexMatrix column(std::initializer_list<Index> rows) {
  IndexMatrix matrix(static_cast<Index>(rows.size()), 1);
  std::copy(rows.begin(), rows.end(), matrix.data());
  return matrix;
}

std::vector<Index> last_distances(const Neighbours<Index>& found) {
  std::vector<Index> cuts;
  for (Index q = 0; q < found.distances.cols(); ++q)
    cuts.push_back(found.distances(found.distances.rows() - 1, q));
  return cuts;
}

} // namespace

TEST_CASE("A neighbour's rank among six codes is as counted by hand") {
  const auto rank = [](Index row) {
    const std::vector<Index> rows{row};
    return rank_of_neighbour(six, zero, six.select(rows), rows).front();
  };
  CHECK(rank(2) == RankCounts{.nearer = 0, .ties_before = 0, .ties = 0});
  CHECK(rank(0) == RankCounts{.nearer = 1, .ties_before = 0, .ties = 2});
  CHECK(rank(3) == RankCounts{.nearer = 1, .ties_before = 1, .ties = 2});
  CHECK(rank(4) == RankCounts{.nearer = 1, .ties_before = 2, .ties = 2});
  CHECK(rank(1) == RankCounts{.nearer = 4, .ties_before = 0, .ties = 0});
  CHECK(rank(5) == RankCounts{.nearer = 5, .ties_before = 0, .ties = 0});
}

TEST_CASE("recall@R among six codes is as counted by hand under every tie rule") {
  CHECK(recall(2, 0, Ties::by_row) == 0);
  CHECK(recall(2, 0, Ties::optimistic) == 0);
  CHECK(recall(2, 0, Ties::expected) == 0);
  CHECK(recall(2, 1, Ties::by_row) == 1);
  CHECK(recall(2, 1, Ties::expected) == 1);
  // Row 3 shares ranks 2, 3 and 4 with rows 0 and 4.
  CHECK(recall(3, 1, Ties::optimistic) == 0);
  CHECK(recall(3, 2, Ties::by_row) == 0);
  CHECK(recall(3, 3, Ties::by_row) == 1);
  CHECK(recall(3, 2, Ties::optimistic) == 1);
  CHECK(recall(3, 1, Ties::expected) == 0);
  CHECK(recall(3, 2, Ties::expected) == Approx(1.0 / 3));
  CHECK(recall(3, 3, Ties::expected) == Approx(2.0 / 3));
  CHECK(recall(3, 4, Ties::expected) == 1);
  CHECK(recall(5, 5, Ties::optimistic) == 0);
  CHECK(recall(5, 6, Ties::by_row) == 1);
  CHECK(recall(5, 600, Ties::expected) == 1);
}

TEST_CASE("recall@R is the mean over the queries") {
  const PackedCodes queries(4, 4); // four times the same query
  CHECK(recall_at(six, queries, std::vector<Index>{2, 3, 5, 0}, 2) == 0.5);
  CHECK(recall_at(six, queries, std::vector<Index>{2, 3, 5, 0}, 2, Ties::optimistic) == 0.75);
  CHECK(recall_at(six, queries, std::vector<Index>{2, 3, 5, 0}, 2, Ties::expected) ==
        Approx((1 + 1.0 / 3 + 0 + 1.0 / 3) / 4));
}

TEST_CASE("Precision and recall of a set among six codes are as counted by hand") {
  const IndexMatrix truth = column({3, 2, 1, 5});
  const auto retrieved = [](Index k) { return hamming_search(six, zero, k).rows; };
  CHECK(precision(retrieved(1), truth) == 1);                // 2
  CHECK(precision(retrieved(2), truth) == 0.5);              // 2 0
  CHECK(precision(retrieved(3), truth) == Approx(2.0 / 3));  // 2 0 3
  CHECK(precision(retrieved(5), truth) == Approx(3.0 / 5));  // 2 0 3 4 1
  CHECK(precision(retrieved(99), truth) == Approx(4.0 / 6)); // all six are retrieved
  CHECK(recall_of_set(retrieved(1), truth) == 0.25);
  CHECK(recall_of_set(retrieved(3), truth) == 0.5);
  CHECK(recall_of_set(retrieved(6), truth) == 1);
  CHECK(recall_of_set(retrieved(0), truth) == 0);

  IndexMatrix two(2, 2), twice(2, 2);
  two << 0, 1, 2, 3;
  twice << 2, 0, 0, 5;
  CHECK(precision(two, twice) == 0.5); // both of the first query, none of the second
}

TEST_CASE("Hits at a tied cut among six codes are as counted by hand") {
  const IndexMatrix truth = column({3, 2, 1, 5});
  const auto found = hamming_search(six, zero, 3);
  const auto counts = counts_at_cut(six, zero, last_distances(found), truth);
  // Row 2 is nearer; rows 0, 3 and 4 lie at the cut, and two of them are retrieved.
  CHECK(counts.front() == CutCounts{.nearer = 1, .ties = 3, .true_nearer = 1, .true_ties = 1});
  CHECK(mean_hits(counts, 3, Ties::optimistic) == 2);
  CHECK(mean_hits(counts, 3, Ties::expected) == Approx(1 + 2.0 / 3));
  CHECK(mean_hits(counts, 2, Ties::expected) == Approx(1 + 1.0 / 3));
  CHECK(mean_hits(counts, 1, Ties::optimistic) == 1);
  CHECK_THROWS_AS(mean_hits(counts, 3, Ties::by_row), ConfigError);
  CHECK_THROWS_AS(mean_hits(counts, 0, Ties::expected), DataError);
  CHECK_THROWS_AS(mean_hits(counts, 5, Ties::expected), DataError);
  CHECK_THROWS_AS(mean_hits({}, 3, Ties::expected), ConfigError);
}

TEST_CASE("Ranks equal a sorted brute force at every width and for any threads") {
  for (const Index L : awkward_widths) {
    RandomStream random(1, static_cast<std::uint64_t>(L));
    const Index N = 300, Q = 6;
    const auto base = random_codes(random, L, N, 8);
    const auto queries = random_codes(random, L, Q, 8);
    std::vector<Index> rows;
    for (Index q = 0; q < Q; ++q)
      rows.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(N))));
    const PackedCodes codes = packed(base, L);
    for (const int threads : {1, 2, 4}) {
      const auto counts = rank_of_neighbour(codes, packed(queries, L), codes.select(rows), rows,
                                            {.threads = threads});
      for (std::size_t q = 0; q < rows.size(); ++q) {
        const auto ranking = plain_ranking(base, queries[q]);
        const auto at = std::find_if(ranking.begin(), ranking.end(),
                                     [&](auto r) { return r.second == rows[q]; });
        const Index nearer = std::count_if(ranking.begin(), ranking.end(),
                                           [&](auto r) { return r.first < at->first; });
        const Index as_near = std::count_if(ranking.begin(), ranking.end(),
                                            [&](auto r) { return r.first == at->first; });
        CAPTURE(L, threads, q);
        REQUIRE(counts[q] == RankCounts{.nearer = nearer,
                                        .ties_before = (at - ranking.begin()) - nearer,
                                        .ties = as_near - 1});
      }
    }
  }
}

TEST_CASE("Counts of the shares add up to those of the whole base") {
  RandomStream random(2);
  for (int round = 0; round < 40; ++round) {
    const Index N = 1 + static_cast<Index>(random.below(120));
    const Index Q = 5, L = 10, k = 1 + static_cast<Index>(random.below(20)), K = 7;
    const PackedCodes base = packed(random_codes(random, L, N, 5), L);
    const PackedCodes queries = packed(random_codes(random, L, Q, 5), L);
    const auto any_row = [&] {
      return static_cast<Index>(random.below(static_cast<std::uint64_t>(N)));
    };
    std::vector<Index> rows(static_cast<std::size_t>(Q));
    std::generate(rows.begin(), rows.end(), any_row);
    const IndexMatrix truth = IndexMatrix::NullaryExpr(K, Q, any_row);
    const auto cut_at = last_distances(hamming_search(base, queries, k));

    const auto whole_ranks = rank_of_neighbour(base, queries, base.select(rows), rows);
    const auto whole_hits = counts_at_cut(base, queries, cut_at, truth);
    std::vector<RankCounts> ranks(rows.size());
    std::vector<CutCounts> hits(rows.size());
    const auto cuts = random_cuts(random, N, 6);
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
      const PackedCodes share = share_of(base, cuts[s], cuts[s + 1]);
      const SearchOptions options{.threads = 1 + round % 3, .first_row = cuts[s]};
      const auto r = rank_of_neighbour(share, queries, base.select(rows), rows, options);
      const auto h = counts_at_cut(share, queries, cut_at, truth, options);
      for (std::size_t q = 0; q < rows.size(); ++q) {
        ranks[q] += r[q];
        hits[q] += h[q];
      }
    }
    REQUIRE(ranks == whole_ranks);
    REQUIRE(hits == whole_hits);
  }
}

TEST_CASE("Shuffling the base changes no tie-aware number, which is the mean over all orders") {
  RandomStream random(3);
  const Index N = 40, Q = 8, L = 5, R = 6, K = 5;
  const PackedCodes base = packed(random_codes(random, L, N, 5), L);
  const PackedCodes queries = packed(random_codes(random, L, Q, 5), L);
  std::vector<Index> rows(static_cast<std::size_t>(Q));
  IndexMatrix truth(K, Q);
  for (Index q = 0; q < Q; ++q) {
    std::vector<Index> order(static_cast<std::size_t>(N));
    std::iota(order.begin(), order.end(), Index{0});
    random.shuffle(std::span(order));
    std::copy_n(order.begin(), K, truth.col(q).begin());
    rows[static_cast<std::size_t>(q)] = truth(0, q);
  }
  const auto hits = [&](const PackedCodes& codes, const IndexMatrix& neighbours, Ties ties) {
    const auto cuts = last_distances(hamming_search(codes, queries, R));
    return mean_hits(counts_at_cut(codes, queries, cuts, neighbours), R, ties);
  };

  double mean_recall = 0, mean_precision = 0;
  double best_recall = 0, best_precision = 0;
  const int orders = 2000;
  for (int t = 0; t < orders; ++t) {
    std::vector<Index> order(static_cast<std::size_t>(N)); // new row i holds old row order[i]
    std::iota(order.begin(), order.end(), Index{0});
    random.shuffle(std::span(order));
    std::vector<Index> place(order.size());
    for (Index i = 0; i < N; ++i)
      place[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i;
    const PackedCodes shuffled = base.select(order);
    const auto moved = [&](Index row) { return place[static_cast<std::size_t>(row)]; };
    std::vector<Index> new_rows(rows.size());
    std::transform(rows.begin(), rows.end(), new_rows.begin(), moved);
    const IndexMatrix new_truth = truth.unaryExpr(moved);

    for (const Ties ties : {Ties::optimistic, Ties::expected}) {
      REQUIRE(recall_at(shuffled, queries, new_rows, R, ties) ==
              recall_at(base, queries, rows, R, ties));
      REQUIRE(hits(shuffled, new_truth, ties) == hits(base, truth, ties));
    }
    const double one_recall = recall_at(shuffled, queries, new_rows, R);
    const double one_precision = precision(hamming_search(shuffled, queries, R).rows, new_truth);
    mean_recall += one_recall / orders;
    mean_precision += one_precision / orders;
    best_recall = std::max(best_recall, one_recall);
    best_precision = std::max(best_precision, one_precision);
  }
  // A mean of 2000 numbers within [0, 1]: its deviation is at most 0.5 / sqrt(2000) = 0.011.
  CHECK(recall_at(base, queries, rows, R, Ties::expected) == Approx(mean_recall).margin(0.04));
  CHECK(hits(base, truth, Ties::expected) / R == Approx(mean_precision).margin(0.04));
  CHECK(recall_at(base, queries, rows, R, Ties::optimistic) >= best_recall);
  CHECK(hits(base, truth, Ties::optimistic) / R >= best_precision - 1e-12);
}

TEST_CASE("The precision of classes counts rows of the query's class") {
  const std::vector<std::uint8_t> base{3, 7, 7, 3, 9};
  const std::vector<std::uint8_t> queries{7, 3};
  IndexMatrix found(3, 2);
  found << 1, 0, 2, 4, 0, 1; // 7 7 3 and 3 9 7
  CHECK(parmac::class_precision(found, base, queries) == Approx(3.0 / 6));
  CHECK(parmac::class_precision(found.topRows(1), base, queries) == 1);
  CHECK_THROWS_AS(parmac::class_precision(found.topRows(0), base, queries), parmac::ConfigError);
  CHECK_THROWS_AS(parmac::class_precision(found.leftCols(1), base, queries), parmac::ShapeError);
  found(2, 1) = 5;
  CHECK_THROWS_AS(parmac::class_precision(found, base, queries), parmac::ShapeError);
}

TEST_CASE("Metrics of nothing and of what does not fit are refused") {
  const std::vector<Index> one{0}, two{0, 1}, outside{6}, negative{-1};
  CHECK_THROWS_AS(recall_at(six, PackedCodes(4, 0), {}, 1), ConfigError);
  CHECK_THROWS_AS(recall_at(six, zero, one, -1), ConfigError);
  CHECK_THROWS_AS(recall_at(six, zero, two, 1), ShapeError);
  CHECK_THROWS_AS(recall_at(six, zero, outside, 1), ShapeError);
  CHECK_THROWS_AS(recall_at(six, PackedCodes(5, 1), one, 1), ShapeError);
  CHECK_THROWS_AS(recall_at(six, zero, one, 1, Ties::by_row, 0), ConfigError);
  CHECK_THROWS_AS(rank_of_neighbour(six, zero, PackedCodes(5, 1), one), ShapeError);
  CHECK_THROWS_AS(rank_of_neighbour(six, zero, zero, negative), DataError);
  CHECK_THROWS_WITH(rank_of_neighbour(six, zero, zero, one),
                    Catch::Matchers::Contains("row 0") &&
                        Catch::Matchers::Contains("another code"));
  CHECK_THROWS_AS(counts_at_cut(six, zero, two, column({1})), ShapeError);
  CHECK_THROWS_AS(counts_at_cut(six, PackedCodes(5, 1), one, column({1})), ShapeError);
  CHECK_THROWS_AS(precision(IndexMatrix(0, 1), column({1})), ConfigError);
  CHECK_THROWS_AS(precision(IndexMatrix(1, 0), IndexMatrix(1, 0)), ConfigError);
  CHECK_THROWS_AS(precision(column({1}), IndexMatrix::Zero(1, 2)), ShapeError);
  CHECK_THROWS_AS(recall_of_set(column({1}), IndexMatrix(0, 1)), ConfigError);
}
