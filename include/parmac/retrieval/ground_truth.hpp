// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/point_source.hpp"
#include "parmac/retrieval/neighbours.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/threads.hpp"

namespace parmac {

namespace detail {

/// A matrix seen as points, a point a column.
struct MatrixPoints {
  const Eigen::Ref<const Eigen::MatrixXf>& X;

  [[nodiscard]] Index size() const { return X.cols(); }
  [[nodiscard]] Index dimension() const { return X.rows(); }
  void load(Index first, Eigen::Ref<Eigen::MatrixXf> out) const {
    out = X.middleCols(first, out.cols());
  }
  void gather(std::span<const Index> which, Eigen::Ref<Eigen::MatrixXf> out) const {
    for (Index j = 0; j < out.cols(); ++j) out.col(j) = X.col(which[static_cast<std::size_t>(j)]);
  }
};
static_assert(PointSource<MatrixPoints>);

/// Squared Euclidean distance in double, summed in the order of the features: the same number
/// wherever the points lie, and exact as long as it is an integer below 2^53.
[[nodiscard]] inline double squared_distance(const float* x, const float* y, Index D) {
  double sum = 0;
  for (Index d = 0; d < D; ++d) {
    const double difference = static_cast<double>(x[d]) - static_cast<double>(y[d]);
    sum += difference * difference;
  }
  return sum;
}

/// Squared lengths of the columns. @throws DataError when a number is not finite.
[[nodiscard]] inline Eigen::VectorXd
finite_squared_norms(const Eigen::Ref<const Eigen::MatrixXf>& X, const char* what, Index first) {
  const Eigen::VectorXd norms = X.cast<double>().colwise().squaredNorm();
  for (Index j = 0; j < X.cols(); ++j)
    if (!std::isfinite(norms(j)))
      for (Index d = 0; d < X.rows(); ++d)
        require<DataError>(std::isfinite(X(d, j)), "feature ", d, " of ", what, " ", first + j,
                           " is ", X(d, j), "; a finite number was expected");
  return norms;
}

/// The k nearest of the points offered, ordered by (distance, row number).
class NearestPoints {
public:
  /// @pre k >= 1
  explicit NearestPoints(Index k) : k_(static_cast<std::size_t>(k)) {}

  /// Points farther than this are not among the nearest.
  [[nodiscard]] double limit() const {
    return heap_.size() < k_ ? std::numeric_limits<double>::infinity() : heap_.front().first;
  }
  void offer(double distance, Index row) {
    const std::pair candidate(distance, row);
    if (heap_.size() == k_) {
      if (candidate > heap_.front()) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end());
  }
  /// The nearest points, in order; nothing may be offered after it.
  [[nodiscard]] const std::vector<std::pair<double, Index>>& sorted() {
    std::sort(heap_.begin(), heap_.end());
    return heap_;
  }

private:
  std::size_t k_;
  std::vector<std::pair<double, Index>> heap_; // the farthest in front
};

/// Offers the base points that may be among the nearest of queries first .. first +
/// nearest.size()-1.
///
/// A float matrix product p of all pairs first gives the distance up to rounding: |x|^2 + |y|^2 -
/// 2p is off by at most g (|x|^2 + |y|^2), where g = 2 (D + 8) 2^-24 covers D rounded products and
/// sums in any order (twice the usual bound; `tiny` covers underflow). What is surely too far by
/// that is skipped, all else is computed exactly. So the result does not depend on how the product
/// rounds.
template <PointSource Base>
void offer_candidates(const Base& base, const Eigen::Ref<const Eigen::MatrixXf>& queries,
                      const Eigen::VectorXd& query_norms, Index first, Index first_row,
                      std::span<NearestPoints> nearest) {
  const Index D = queries.rows();
  const Index count = std::ssize(nearest);
  const double g = 2.0 * static_cast<double>(D + 8) * 0x1p-24;
  const double tiny = static_cast<double>(D + 8) * 0x1p-124;
  // Longer points could overflow the float product; they are not skipped.
  constexpr double longest = 1e37;
  constexpr double infinity = std::numeric_limits<double>::infinity();

  constexpr Index stretch = 1024; // base points at a time
  Eigen::MatrixXf points(D, std::min<Index>(stretch, base.size()));
  Eigen::MatrixXf products;
  for (Index at = 0; at < base.size(); at += stretch) {
    const Index loaded = std::min(stretch, base.size() - at);
    Eigen::Ref<Eigen::MatrixXf> block = points.leftCols(loaded);
    base.load(at, block);
    Eigen::VectorXd least = finite_squared_norms(block, "base point", first_row + at);
    for (double& norm : least) norm = norm > longest ? -infinity : (1 - g) * norm - tiny;
    products.noalias() = block.transpose() * queries.middleCols(first, count);

    for (Index q = 0; q < count; ++q) {
      NearestPoints& best = nearest[static_cast<std::size_t>(q)];
      const double norm = query_norms(first + q);
      const double offset = norm > longest ? -infinity : (1 - g) * norm;
      double limit = best.limit() - offset;
      for (Index j = 0; j < loaded; ++j) {
        if (least(j) - 2.0 * static_cast<double>(products(j, q)) > limit) continue;
        best.offer(squared_distance(block.col(j).data(), queries.col(first + q).data(), D),
                   first_row + at + j);
        limit = best.limit() - offset;
      }
    }
  }
}

} // namespace detail

/// The k nearest base points of every query by Euclidean distance, exactly, equally near ones by
/// their row number; `distances` holds *squared* distances. A base of fewer than k points is
/// returned whole: the result has min(k, N) rows. Queries are D x Q, a query a column.
///
/// Distances are double sums over the features: without any rounding for bytes and other integers
/// (below 2^53), and bit for bit the same for any number of threads and any share of the base.
/// O(Q N D), most of it in matrix products; the base is read once for every 256 queries a thread.
/// @throws ConfigError unless k >= 0 and options.threads >= 1.
/// @throws ShapeError unless base and queries have as many features.
/// @throws DataError when a feature is not finite.
template <PointSource Base>
[[nodiscard]] Neighbours<double>
nearest_neighbours(const Base& base, const Eigen::Ref<const Eigen::MatrixXf>& queries, Index k,
                   SearchOptions options = {}) {
  require(k >= 0, "the number of neighbours is ", k, "; it must not be negative");
  const Index N = base.size();
  const Index Q = queries.cols();
  require<ShapeError>(base.dimension() == queries.rows(), "the base points have ", base.dimension(),
                      " features, but the queries ", queries.rows());
  const Eigen::VectorXd query_norms = detail::finite_squared_norms(queries, "query", 0);
  const Index found = std::min(k, N);
  Neighbours<double> result;
  result.rows.resize(found, Q);
  result.distances.resize(found, Q);

  const auto search = [&](Index first, Index last) {
    std::vector<detail::NearestPoints> nearest(static_cast<std::size_t>(last - first),
                                               detail::NearestPoints(found));
    detail::offer_candidates(base, queries, query_norms, first, options.first_row,
                             std::span(nearest));
    for (Index q = first; q < last; ++q) {
      const auto& sorted = nearest[static_cast<std::size_t>(q - first)].sorted();
      for (Index i = 0; i < found; ++i) {
        result.distances(i, q) = sorted[static_cast<std::size_t>(i)].first;
        result.rows(i, q) = sorted[static_cast<std::size_t>(i)].second;
      }
    }
  };
  constexpr Index block = 256; // queries that meet a stretch of base points in one matrix product
  parallel_for(found > 0 ? Q : 0, options.threads, [&](Index begin, Index end) {
    for (Index first = begin; first < end; first += block)
      search(first, std::min(first + block, end));
  });
  return result;
}

/// The same for base points in a matrix, D x N, a point a column.
[[nodiscard]] inline Neighbours<double>
nearest_neighbours(const Eigen::Ref<const Eigen::MatrixXf>& base,
                   const Eigen::Ref<const Eigen::MatrixXf>& queries, Index k,
                   SearchOptions options = {}) {
  return nearest_neighbours(detail::MatrixPoints{base}, queries, k, options);
}

} // namespace parmac
