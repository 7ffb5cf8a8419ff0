// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "parmac/retrieval/cut_counts.hpp"
#include "parmac/retrieval/neighbours.hpp"
#include "parmac/retrieval/rank_counts.hpp"
#include "parmac/retrieval/ties.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

// The measures of retrieval, all means over the queries:
//   recall_at (rank_counts.hpp)    whether the true nearest neighbour is among the first R rows
//   precision, recall_of_set       how many of k retrieved rows are among K true neighbours, in
//                                  lists whose ties a search has ordered by row number
//   mean_hits (cut_counts.hpp)     the same under the other tie rules
//   class_precision                how many of k retrieved rows are of the query's class

namespace parmac {

namespace detail {

/// Mean number of row numbers that column q of both matrices holds.
[[nodiscard]] inline double mean_common(const IndexMatrix& retrieved, const IndexMatrix& truth) {
  require<ShapeError>(retrieved.cols() == truth.cols(), "rows retrieved for ", retrieved.cols(),
                      " queries cannot be compared with true neighbours of ", truth.cols());
  require(retrieved.cols() > 0, "the precision or recall of no queries is not defined");
  std::vector<Index> found, sought, common;
  double sum = 0;
  for (Index q = 0; q < truth.cols(); ++q) {
    found.assign(retrieved.col(q).begin(), retrieved.col(q).end());
    sought.assign(truth.col(q).begin(), truth.col(q).end());
    std::sort(found.begin(), found.end());
    std::sort(sought.begin(), sought.end());
    common.clear();
    std::set_intersection(found.begin(), found.end(), sought.begin(), sought.end(),
                          std::back_inserter(common));
    sum += static_cast<double>(common.size());
  }
  return sum / static_cast<double>(truth.cols());
}

} // namespace detail

/// precision@k with K true neighbours: the share of the k retrieved rows that are among the K true
/// ones. Column q of `retrieved`, k x Q, and of `truth`, K x Q, belong to query q; k and K are the
/// numbers of rows that the matrices have, so pass `rows.topRows(k)` of longer lists.
/// @throws ConfigError when there is no query, or k = 0.
/// @throws ShapeError unless both have a column a query.
[[nodiscard]] inline double precision(const IndexMatrix& retrieved, const IndexMatrix& truth) {
  require(retrieved.rows() > 0, "the precision of no retrieved rows is not defined");
  return detail::mean_common(retrieved, truth) / static_cast<double>(retrieved.rows());
}

/// Recall of a set: the share of the K true neighbours that are among the k retrieved rows. Shapes
/// as for `precision`.
/// @throws ConfigError when there is no query, or K = 0.
/// @throws ShapeError unless both have a column a query.
[[nodiscard]] inline double recall_of_set(const IndexMatrix& retrieved, const IndexMatrix& truth) {
  require(truth.rows() > 0, "the recall of no true neighbours is not defined");
  return detail::mean_common(retrieved, truth) / static_cast<double>(truth.rows());
}

/// precision@k of classes: the share of the k retrieved rows whose class is the query's.
/// @param retrieved k x Q, rows of the base; column q belongs to query q.
/// @throws ConfigError when there is no query, or k = 0.
/// @throws ShapeError unless there is a class for every query and for every retrieved row.
[[nodiscard]] inline double class_precision(const IndexMatrix& retrieved,
                                            std::span<const std::uint8_t> base,
                                            std::span<const std::uint8_t> queries) {
  require(retrieved.size() > 0, "the precision of no retrieved rows is not defined");
  require<ShapeError>(retrieved.cols() == static_cast<Index>(queries.size()), "rows retrieved for ",
                      retrieved.cols(), " queries, but classes of ", queries.size());
  require<ShapeError>(retrieved.minCoeff() >= 0 &&
                          retrieved.maxCoeff() < static_cast<Index>(base.size()),
                      "rows from ", retrieved.minCoeff(), " to ", retrieved.maxCoeff(),
                      " were retrieved, but there are classes of ", base.size());
  double right = 0;
  for (Index q = 0; q < retrieved.cols(); ++q)
    for (const Index row : retrieved.col(q))
      right += base[static_cast<std::size_t>(row)] == queries[static_cast<std::size_t>(q)] ? 1 : 0;
  return right / static_cast<double>(retrieved.size());
}

} // namespace parmac
