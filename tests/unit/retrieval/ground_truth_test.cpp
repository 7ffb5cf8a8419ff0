// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "parmac/retrieval/ground_truth.hpp"
#include "parmac/support/error.hpp"
#include "parmac/support/random.hpp"

#include "random_codes.hpp"

using namespace parmac;
using Eigen::MatrixXf;

namespace {

MatrixXf random_bytes(RandomStream& random, Index D, Index N, std::uint64_t values = 256) {
  return MatrixXf::NullaryExpr(D, N, [&] { return static_cast<float>(random.below(values)); });
}
MatrixXf random_normals(RandomStream& random, Index D, Index N, double scale, double shift) {
  return MatrixXf::NullaryExpr(D, N,
                               [&] { return static_cast<float>(shift + scale * random.normal()); });
}

/// In long double, by sorting.
void check_against_sorting(const Neighbours<double>& found, const MatrixXf& X,
                           const MatrixXf& queries, Index k) {
  const Index expected = std::min<Index>(k, X.cols());
  REQUIRE(found.rows.rows() == expected);
  REQUIRE(found.distances.rows() == expected);
  REQUIRE(found.rows.cols() == queries.cols());
  for (Index q = 0; q < queries.cols(); ++q) {
    std::vector<std::pair<long double, Index>> ranking;
    for (Index j = 0; j < X.cols(); ++j)
      ranking.emplace_back(
          (X.col(j).cast<long double>() - queries.col(q).cast<long double>()).squaredNorm(), j);
    std::sort(ranking.begin(), ranking.end());
    for (Index i = 0; i < expected; ++i) {
      REQUIRE(found.rows(i, q) == ranking[static_cast<std::size_t>(i)].second);
      REQUIRE(
          found.distances(i, q) ==
          Approx(static_cast<double>(ranking[static_cast<std::size_t>(i)].first)).epsilon(1e-12));
    }
  }
}

/// Byte points as a user may store them; counts nothing and converts as it is read.
struct BytePoints {
  Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> X;
  [[nodiscard]] Index size() const { return X.cols(); }
  [[nodiscard]] Index dimension() const { return X.rows(); }
  void load(Index first, Eigen::Ref<MatrixXf> out) const {
    out = X.middleCols(first, out.cols()).cast<float>();
  }
  void gather(std::span<const Index> which, Eigen::Ref<MatrixXf> out) const {
    for (Index j = 0; j < out.cols(); ++j)
      out.col(j) = X.col(which[static_cast<std::size_t>(j)]).cast<float>();
  }
};

} // namespace

TEST_CASE("Ground truth equals a sorted brute force") {
  RandomStream random(1);
  for (const Index D : {1, 3, 20})
    for (const Index N : {1, 40, 1500})
      for (const Index k : {1, 10, 50}) {
        CAPTURE(D, N, k);
        const MatrixXf X = random_normals(random, D, N, 1, 0);
        const MatrixXf queries = random_normals(random, D, 4, 1, 0);
        check_against_sorting(nearest_neighbours(X, queries, k), X, queries, k);
      }
}

TEST_CASE("Distances between bytes are exact and ties go to the lower row") {
  RandomStream random(2);
  const MatrixXf X = random_bytes(random, 2, 2500, 4); // 16 distinct points
  const MatrixXf queries = random_bytes(random, 2, 5, 4);
  check_against_sorting(nearest_neighbours(X, queries, 700), X, queries, 700);

  // 784 features that differ by 255 make a sum that floats do not hold.
  MatrixXf far = MatrixXf::Constant(784, 2, 255);
  far(0, 1) = 254;
  const auto found = nearest_neighbours(far, MatrixXf::Zero(784, 1), 2);
  CHECK(found.distances(0, 0) == 784.0 * 255 * 255 - 255 * 255 + 254 * 254);
  CHECK(found.distances(1, 0) == 784.0 * 255 * 255);
  CHECK(found.rows(0, 0) == 1);
}

TEST_CASE("Neighbours are exact where a float matrix product would confuse them") {
  RandomStream random(3);
  for (const auto& [scale, shift] : std::vector<std::pair<double, double>>{
           {1, 1e4}, {1e-3, 10}, {1e-22, 0}, {1e-30, 0}, {1e18, 0}, {1e25, 0}, {1e30, 1e31}}) {
    CAPTURE(scale, shift);
    const MatrixXf X = random_normals(random, 8, 1200, scale, shift);
    const MatrixXf queries = random_normals(random, 8, 3, scale, shift);
    check_against_sorting(nearest_neighbours(X, queries, 5), X, queries, 5);
    check_against_sorting(nearest_neighbours(-X, queries, 5), -X, queries, 5);
  }
}

TEST_CASE("Ground truth is read from any source of points") {
  RandomStream random(4);
  const MatrixXf X = random_bytes(random, 16, 1100);
  const MatrixXf queries = random_bytes(random, 16, 3);
  check_against_sorting(nearest_neighbours(BytePoints{X.cast<std::uint8_t>()}, queries, 6), X,
                        queries, 6);
}

TEST_CASE("Ground truth is bitwise the same for any threads and any shares") {
  RandomStream random(5);
  const MatrixXf X = random_normals(random, 11, 1300, 1, 0.5);
  const MatrixXf queries = random_normals(random, 11, 300, 1, 0.5);
  const auto whole = nearest_neighbours(X, queries, 8);
  check_against_sorting(whole, X, queries, 8);
  for (const int threads : {2, 4}) {
    const auto again = nearest_neighbours(X, queries, 8, {.threads = threads});
    CHECK(again.rows == whole.rows);
    CHECK(again.distances == whole.distances);
  }
  for (int round = 0; round < 3; ++round) {
    const auto cuts = tests::random_cuts(random, X.cols(), 4);
    std::vector<Neighbours<double>> shares;
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s)
      shares.push_back(nearest_neighbours(X.middleCols(cuts[s], cuts[s + 1] - cuts[s]), queries, 8,
                                          {.first_row = cuts[s]}));
    shares.push_back(nearest_neighbours(MatrixXf(11, 0), queries, 8, {.first_row = 1300}));
    const auto merged = merge_neighbours<double>(shares, 8);
    CHECK(merged.rows == whole.rows);
    CHECK(merged.distances == whole.distances);
  }
}

TEST_CASE("Empty ground truth has empty results and wrong input is refused by name") {
  const MatrixXf X = MatrixXf::Ones(3, 4);
  CHECK(nearest_neighbours(MatrixXf(3, 0), X, 2).rows.rows() == 0);
  CHECK(nearest_neighbours(MatrixXf(3, 0), X, 2).rows.cols() == 4);
  CHECK(nearest_neighbours(X, X, 0).rows.rows() == 0);
  CHECK(nearest_neighbours(X, MatrixXf(3, 0), 2).rows.cols() == 0);
  CHECK(nearest_neighbours(X, X, 9).rows.rows() == 4);
  CHECK_THROWS_AS(nearest_neighbours(X, X, -1), ConfigError);
  CHECK_THROWS_AS(nearest_neighbours(X, X, 1, {.threads = 0}), ConfigError);
  CHECK_THROWS_AS(nearest_neighbours(X, MatrixXf::Ones(2, 4), 1), ShapeError);

  MatrixXf bad = X;
  bad(1, 2) = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_AS(nearest_neighbours(bad, X, 1), DataError);
  CHECK_THROWS_WITH(nearest_neighbours(bad, X, 1, {.first_row = 100}),
                    Catch::Matchers::Contains("feature 1 of base point 102"));
  bad(1, 2) = std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH(nearest_neighbours(X, bad, 1),
                    Catch::Matchers::Contains("feature 1 of query 2"));
}
