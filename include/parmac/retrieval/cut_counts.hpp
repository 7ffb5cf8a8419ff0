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

/// What lies within and at the distance where a query's list of k retrieved rows is cut off. Among
/// the rows at that very distance the order decides which are retrieved, so that precision and
/// recall depend on the tie rule. The counts of several shares of a base add up to those of the
/// undivided base.
struct CutCounts {
  Index nearer = 0;      ///< rows strictly nearer than the cut: all retrieved
  Index ties = 0;        ///< rows at the cut: some retrieved
  Index true_nearer = 0; ///< true neighbours among the nearer rows
  Index true_ties = 0;   ///< true neighbours among the rows at the cut

  CutCounts& operator+=(const CutCounts& other) {
    nearer += other.nearer;
    ties += other.ties;
    true_nearer += other.true_nearer;
    true_ties += other.true_ties;
    return *this;
  }
  friend bool operator==(const CutCounts&, const CutCounts&) = default;
};

/// Counts, in one share of a base, what lies nearer than and at `cuts[q]`, the Hamming distance of
/// the k-th row retrieved for query q (the last row of `Neighbours::distances`, merged over all
/// shares). Column q of `truth`, K x Q, holds the row numbers in the whole base of the true
/// neighbours of query q; only those in this share are counted. O(Q (N + K) L / 64).
/// @throws ConfigError unless options.threads >= 1 and L < 2^31.
/// @throws ShapeError unless both have codes of as many bits, and there is a cut and a column of
/// `truth` for every query.
[[nodiscard]] inline std::vector<CutCounts>
counts_at_cut(const PackedCodes& share, const PackedCodes& queries, std::span<const Index> cuts,
              const IndexMatrix& truth, SearchOptions options = {}) {
  share.require_same_bits(queries);
  const Index Q = queries.size();
  require<ShapeError>(std::ssize(cuts) == Q && truth.cols() == Q, Q, " queries have ", cuts.size(),
                      " cuts and ", truth.cols(), " columns of true neighbours");

  std::vector<CutCounts> counts(static_cast<std::size_t>(Q));
  parallel_for(Q, options.threads, [&](Index begin, Index end) {
    detail::visit_distances(
        share, queries, begin, end,
        [&](Index q, Index, const detail::WordPlanes::Distances& distances, Index count) {
          const Index cut = cuts[static_cast<std::size_t>(q)];
          const auto from = distances.begin();
          CutCounts& sum = counts[static_cast<std::size_t>(q)];
          sum.nearer += std::count_if(from, from + count, [&](auto d) { return d < cut; });
          sum.ties += std::count_if(from, from + count, [&](auto d) { return d == cut; });
        });
    for (Index q = begin; q < end; ++q)
      for (Index i = 0; i < truth.rows(); ++i) {
        const Index here = truth(i, q) - options.first_row;
        if (here < 0 || here >= share.size()) continue;
        const Index distance = share.hamming(here, queries, q);
        CutCounts& sum = counts[static_cast<std::size_t>(q)];
        sum.true_nearer += distance < cuts[static_cast<std::size_t>(q)] ? 1 : 0;
        sum.true_ties += distance == cuts[static_cast<std::size_t>(q)] ? 1 : 0;
      }
  });
  return counts;
}

/// The mean over the queries of the number of true neighbours among the k retrieved rows, from the
/// counts over the whole base. Divided by k it is precision@k, divided by K recall; neither depends
/// on the order of the base's rows.
/// @throws ConfigError when there is no query, or under Ties::by_row, for which `precision` and
/// `recall_of_set` compare the lists themselves.
/// @throws DataError unless nearer <= k <= nearer + ties: the cut was not at the k-th row.
[[nodiscard]] inline double mean_hits(std::span<const CutCounts> counts, Index k, Ties ties) {
  require(!counts.empty(), "the hits of no queries are not defined");
  require(ties != Ties::by_row,
          "hits by row number are not a matter of counts; use precision or recall_of_set");
  double sum = 0;
  for (const CutCounts& c : counts) {
    const Index places = k - c.nearer; // left for the rows at the cut
    require<DataError>(places >= 0 && places <= c.ties, "a list of ", k, " rows is not cut where ",
                       c.nearer, " rows are nearer and ", c.ties, " just as near");
    sum += static_cast<double>(c.true_nearer);
    if (ties == Ties::optimistic) sum += static_cast<double>(std::min(c.true_ties, places));
    if (ties == Ties::expected && c.ties > 0)
      sum += static_cast<double>(places) * static_cast<double>(c.true_ties) /
             static_cast<double>(c.ties);
  }
  return sum / static_cast<double>(counts.size());
}

} // namespace parmac
