// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parmac/retrieval/neighbours.hpp"
#include "parmac/retrieval/packed_codes.hpp"
#include "parmac/retrieval/ties.hpp"
#include "parmac/retrieval/word_planes.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/threads.hpp"

namespace parmac {

/// Where a query's true neighbour stands among base rows ranked by Hamming distance. The counts of
/// several shares of a base add up to those of the undivided base, so that P machines compute the
/// very numbers that one would.
struct RankCounts {
  Index nearer = 0;      ///< rows strictly nearer to the query than the true neighbour is
  Index ties_before = 0; ///< rows just as near, with a lower row number
  Index ties = 0;        ///< all rows just as near; the true neighbour itself is not counted

  RankCounts& operator+=(const RankCounts& other) {
    nearer += other.nearer;
    ties_before += other.ties_before;
    ties += other.ties;
    return *this;
  }
  friend bool operator==(const RankCounts&, const RankCounts&) = default;
};

/// Ranks the true neighbour of every query among the rows of one share of a base: the rows
/// options.first_row .. options.first_row + share.size() - 1 of the whole. Code q of
/// `neighbour_codes` and `neighbour_rows[q]` are the code and the row number, in the whole base, of
/// the true neighbour of query q, which need not lie in this share. O(Q N L / 64).
/// @throws ConfigError unless options.threads >= 1 and L < 2^31.
/// @throws ShapeError unless all have codes of L bits, and there is one neighbour a query.
/// @throws DataError when a neighbour's row number is negative, or its row lies in this share but
/// holds another code.
[[nodiscard]] inline std::vector<RankCounts>
rank_of_neighbour(const PackedCodes& share, const PackedCodes& queries,
                  const PackedCodes& neighbour_codes, std::span<const Index> neighbour_rows,
                  SearchOptions options = {}) {
  share.require_same_bits(queries);
  queries.require_same_bits(neighbour_codes);
  const Index Q = queries.size();
  require<ShapeError>(neighbour_codes.size() == Q && std::ssize(neighbour_rows) == Q, Q,
                      " queries have ", neighbour_codes.size(), " neighbours' codes and ",
                      neighbour_rows.size(), " neighbours' row numbers; one a query is expected");
  for (Index q = 0; q < Q; ++q) {
    const Index row = neighbour_rows[static_cast<std::size_t>(q)];
    require<DataError>(row >= 0, "the neighbour of query ", q, " has the row number ", row);
    const Index here = row - options.first_row;
    require<DataError>(here < 0 || here >= share.size() ||
                           share.hamming(here, neighbour_codes, q) == 0,
                       "the neighbour of query ", q, " is row ", row,
                       ", but the base holds another code there than the one given");
  }

  std::vector<RankCounts> counts(static_cast<std::size_t>(Q));
  parallel_for(Q, options.threads, [&](Index begin, Index end) {
    std::vector<std::int32_t> targets;
    for (Index q = begin; q < end; ++q)
      targets.push_back(static_cast<std::int32_t>(queries.hamming(q, neighbour_codes, q)));
    detail::visit_distances(
        share, queries, begin, end,
        [&](Index q, Index row, const detail::WordPlanes::Distances& distances, Index count) {
          const std::int32_t target = targets[static_cast<std::size_t>(q - begin)];
          const auto from = distances.begin();
          // How many of these rows have lower numbers than the true neighbour.
          const Index neighbour = neighbour_rows[static_cast<std::size_t>(q)];
          const Index before = std::clamp<Index>(neighbour - options.first_row - row, 0, count);
          RankCounts& sum = counts[static_cast<std::size_t>(q)];
          sum.nearer += std::count_if(from, from + count, [&](auto d) { return d < target; });
          sum.ties_before += std::count(from, from + before, target);
          sum.ties += std::count(from, from + count, target);
        });
    for (Index q = begin; q < end; ++q) {
      const Index here = neighbour_rows[static_cast<std::size_t>(q)] - options.first_row;
      if (here >= 0 && here < share.size()) --counts[static_cast<std::size_t>(q)].ties;
    }
  });
  return counts;
}

/// recall@R: the share of queries whose true nearest neighbour is among the first R base rows by
/// Hamming distance, from the counts over the whole base. Under Ties::expected a query counts with
/// the probability that its neighbour, drawn into a random place among the rows just as near, is.
/// Source: Jégou, Douze, Schmid, "Product quantization for nearest neighbor search" (PAMI 2011) for
/// the measure; the tie rules are spelt out here.
/// @throws ConfigError when there is no query, or R < 0.
[[nodiscard]] inline double recall_at(std::span<const RankCounts> counts, Index R,
                                      Ties ties = Ties::by_row) {
  require(!counts.empty(), "the recall of no queries is not defined");
  require(R >= 0, "recall@R was asked for R = ", R, "; R must not be negative");
  double sum = 0;
  for (const RankCounts& c : counts) {
    if (ties == Ties::by_row) sum += c.nearer + c.ties_before < R ? 1 : 0;
    if (ties == Ties::optimistic) sum += c.nearer < R ? 1 : 0;
    if (ties == Ties::expected)
      sum +=
          std::clamp(static_cast<double>(R - c.nearer) / static_cast<double>(c.ties + 1), 0.0, 1.0);
  }
  return sum / static_cast<double>(counts.size());
}

/// recall@R in a base that is whole on this machine: `neighbour_rows[q]` is the base row that is
/// the true nearest neighbour of query q.
/// @throws ConfigError, ShapeError as `rank_of_neighbour` and the other `recall_at`; ShapeError
/// also when a row number is not one of the base.
[[nodiscard]] inline double recall_at(const PackedCodes& base, const PackedCodes& queries,
                                      std::span<const Index> neighbour_rows, Index R,
                                      Ties ties = Ties::by_row, int threads = 1) {
  return recall_at(rank_of_neighbour(base, queries, base.select(neighbour_rows), neighbour_rows,
                                     {.threads = threads}),
                   R, ties);
}

} // namespace parmac
