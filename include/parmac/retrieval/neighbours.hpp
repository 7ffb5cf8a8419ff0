// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// Numbers of base rows, a query a column.
using IndexMatrix = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic>;

/// The nearest base rows of Q queries: column q holds the neighbours of query q, nearest first, and
/// among equally near ones the lower row number first. Both matrices are k x Q.
template <class Distance>
struct Neighbours {
  IndexMatrix rows;
  Eigen::Matrix<Distance, Eigen::Dynamic, Eigen::Dynamic> distances;
};

/// How a search runs.
struct SearchOptions {
  int threads = 1;     ///< the queries are dealt out to so many threads; the result is the same
  Index first_row = 0; ///< number of the base's first row, when the base is a share of a larger one
};

/// Joins what was found in several shares of a base, each searched with its own `first_row` for the
/// same queries and the same k: the k nearest rows of all shares, or all when they are fewer. The
/// result is equal, bit for bit, to a search in the undivided base. O(Q S k log(S k)) for S shares.
/// @throws ConfigError when there is no share, or k < 0.
/// @throws ShapeError when the shares answer different numbers of queries.
/// @throws DataError when two shares claim the same row.
template <class Distance>
[[nodiscard]] Neighbours<Distance> merge_neighbours(std::span<const Neighbours<Distance>> shares,
                                                    Index k) {
  require(!shares.empty(), "there are no neighbours to merge");
  require(k >= 0, "the number of neighbours is ", k, "; it must not be negative");
  const Index Q = shares.front().rows.cols();
  Index found = 0;
  for (const auto& share : shares) {
    require<ShapeError>(share.rows.cols() == Q, "neighbours of ", share.rows.cols(),
                        " queries cannot be merged with those of ", Q);
    require<ShapeError>(
        share.rows.rows() == share.distances.rows() && share.rows.cols() == share.distances.cols(),
        "the neighbours' rows are ", share.rows.rows(), " x ", share.rows.cols(),
        ", but their distances ", share.distances.rows(), " x ", share.distances.cols());
    found += share.rows.rows();
  }

  const Index kept = std::min(k, found);
  Neighbours<Distance> merged;
  merged.rows.resize(kept, Q);
  merged.distances.resize(kept, Q);
  std::vector<std::pair<Distance, Index>> all;
  for (Index q = 0; q < Q; ++q) {
    all.clear();
    for (const auto& share : shares)
      for (Index i = 0; i < share.rows.rows(); ++i)
        all.emplace_back(share.distances(i, q), share.rows(i, q));
    std::sort(all.begin(), all.end());
    const auto twice = std::adjacent_find(all.begin(), all.end());
    if (twice != all.end())
      throw DataError(text("row ", twice->second, " was found twice for query ", q,
                           "; shares must not overlap, and each is searched with its first_row"));
    for (Index i = 0; i < kept; ++i) {
      const auto& [distance, row] = all[static_cast<std::size_t>(i)];
      merged.rows(i, q) = row;
      merged.distances(i, q) = distance;
    }
  }
  return merged;
}

} // namespace parmac
