// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parmac/retrieval/neighbours.hpp"
#include "parmac/retrieval/packed_codes.hpp"
#include "parmac/retrieval/word_planes.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/threads.hpp"

namespace parmac {

namespace detail {

/// Keeps the k nearest of rows that are offered in ascending order. Rows nearer than the limit are
/// put down; from time to time a counting sort by distance, which leaves equally near rows in their
/// order, drops all but the best k and lowers the limit.
class NearestRows {
public:
  struct Row {
    Index number;
    std::int32_t distance;
  };

  /// @pre k >= 1
  NearestRows(Index k, std::int32_t bits)
      : k_(static_cast<std::size_t>(k)),
        buckets_(static_cast<std::size_t>(bits) + 1),
        limit_(bits) {}

  /// Rows at this distance or nearer may be among the k nearest.
  [[nodiscard]] std::int32_t limit() const { return limit_; }

  /// @pre distance <= limit()
  void offer(Index row, std::int32_t distance) {
    rows_.push_back({row, distance});
    // As many new rows as a sort has steps, so that its cost is spread thin.
    if (rows_.size() == k_ + std::max(k_, buckets_)) sort();
  }

  /// The nearest rows, in order.
  [[nodiscard]] const std::vector<Row>& sorted() {
    sort();
    return rows_;
  }

private:
  void sort() {
    std::vector<std::size_t> place(buckets_ + 1);
    for (const Row& row : rows_) ++place[static_cast<std::size_t>(row.distance) + 1];
    for (std::size_t d = 1; d < place.size(); ++d) place[d] += place[d - 1];
    nearest_.resize(std::min(k_, rows_.size()));
    for (const Row& row : rows_)
      if (const std::size_t at = place[static_cast<std::size_t>(row.distance)]++;
          at < nearest_.size())
        nearest_[at] = row;
    rows_.swap(nearest_);
    // A later row as far as the k-th comes behind it.
    if (rows_.size() == k_) limit_ = rows_.back().distance - 1;
  }

  std::size_t k_;
  std::size_t buckets_;
  std::int32_t limit_;
  std::vector<Row> rows_;
  std::vector<Row> nearest_; // the other half of a sort, kept for its memory
};

} // namespace detail

/// The k nearest base codes of every query by Hamming distance, exactly, equally near ones by their
/// row number. A base of fewer than k codes is returned whole: the result has min(k, N) rows.
///
/// Compares every query with every base code, O(Q N L / 64), whatever k. Working memory: some
/// 48 (k + max(k, L)) bytes for each of up to 64 queries a thread.
/// @throws ConfigError unless k >= 0, options.threads >= 1 and L < 2^31.
/// @throws ShapeError unless both have codes of as many bits.
[[nodiscard]] inline Neighbours<Index> hamming_search(const PackedCodes& base,
                                                      const PackedCodes& queries, Index k,
                                                      SearchOptions options = {}) {
  require(k >= 0, "the number of neighbours is ", k, "; it must not be negative");
  base.require_same_bits(queries);
  const auto bits = narrow<std::int32_t>(base.bits());
  const Index found = std::min(k, base.size());
  Neighbours<Index> result;
  result.rows.resize(found, queries.size());
  result.distances.resize(found, queries.size());

  const auto search = [&](Index first, Index last) {
    std::vector<detail::NearestRows> nearest(static_cast<std::size_t>(last - first), {found, bits});
    detail::visit_distances(
        base, queries, first, last,
        [&](Index q, Index row, const detail::WordPlanes::Distances& distances, Index count) {
          detail::NearestRows& best = nearest[static_cast<std::size_t>(q - first)];
          std::int32_t least = distances[0];
          for (const std::int32_t d : distances) least = std::min(least, d);
          if (least > best.limit()) return; // as for most groups
          for (Index j = 0; j < count; ++j)
            if (const auto d = distances[static_cast<std::size_t>(j)]; d <= best.limit())
              best.offer(options.first_row + row + j, d);
        });
    for (Index q = first; q < last; ++q) {
      const auto& rows = nearest[static_cast<std::size_t>(q - first)].sorted();
      for (Index i = 0; i < found; ++i) {
        result.rows(i, q) = rows[static_cast<std::size_t>(i)].number;
        result.distances(i, q) = rows[static_cast<std::size_t>(i)].distance;
      }
    }
  };
  constexpr Index block = 64; // queries that pass over a stretch of the base while it is in cache
  parallel_for(found > 0 ? queries.size() : 0, options.threads, [&](Index begin, Index end) {
    for (Index first = begin; first < end; first += block)
      search(first, std::min(first + block, end));
  });
  return result;
}

} // namespace parmac
