// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <algorithm>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <memory>
#include <sstream>
#include <vector>

#include "parmac/solvers/decision_tree.hpp"
#include "parmac/solvers/feature_bins.hpp"

using namespace parmac;

namespace {

struct Point {
  std::vector<std::uint8_t> bins;
  bool label;
};

std::vector<Point> random_points(RandomStream& random, std::size_t N, std::size_t D, Index bins) {
  std::vector<Point> points(N);
  for (Point& point : points) {
    for (std::size_t d = 0; d < D; ++d)
      point.bins.push_back(
          static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(bins))));
    point.label = (point.bins[0] > bins / 2) != (random.below(4) == 0);
  }
  return points;
}

const auto any_stream = [](std::int32_t node) {
  return RandomStream(7, static_cast<std::uint64_t>(node));
};

/// The tree as it grows over machines: each level's laps over all parts.
DecisionTree grown(const std::vector<std::vector<Point>>& parts, Index D,
                   const TreeSettings& settings) {
  DecisionTree tree;
  tree.begin(D, settings, any_stream);
  for (int level = 0; level < settings.depth; ++level) {
    if (level > 0) tree.split(any_stream);
    for (const auto& part : parts)
      for (const Point& point : part) tree.count(point.bins.data(), point.label);
  }
  tree.finish();
  return tree;
}

/// A plain recursive classification tree on all points at once: the oracle.
class PlainTree {
public:
  PlainTree(std::vector<Point> points, std::size_t D, const TreeSettings& settings, int depth) {
    std::size_t ones = 0;
    for (const Point& point : points) ones += point.label ? 1 : 0;
    value_ = 2 * ones > points.size();
    if (depth == 0) return;
    double best = impurity(points) * (1 - 1e-9);
    for (std::size_t d = 0; d < D; ++d)
      for (int bin = 0; bin + 1 < settings.bins; ++bin) {
        const auto [left, right] = halves(points, d, bin);
        const auto least = static_cast<std::size_t>(settings.least_points);
        if (left.size() < least || right.size() < least) continue;
        const double here = impurity(left) + impurity(right);
        if (here < best * (1 - 1e-12) - 1e-12) {
          best = here;
          feature_ = d;
          bin_ = bin;
          split_ = true;
        }
      }
    if (!split_) return;
    auto [left, right] = halves(points, feature_, bin_);
    left_ = std::make_unique<PlainTree>(std::move(left), D, settings, depth - 1);
    right_ = std::make_unique<PlainTree>(std::move(right), D, settings, depth - 1);
  }

  bool operator()(const Point& point) const {
    if (!split_) return value_;
    return point.bins[feature_] <= bin_ ? (*left_)(point) : (*right_)(point);
  }

private:
  // Gini's impurity times the number of points: 2 a b / (a + b).
  static double impurity(const std::vector<Point>& points) {
    double ones = 0;
    for (const Point& point : points) ones += point.label ? 1 : 0;
    const auto n = static_cast<double>(points.size());
    return n > 0 ? 2 * ones * (n - ones) / n : 0;
  }
  static std::pair<std::vector<Point>, std::vector<Point>> halves(const std::vector<Point>& points,
                                                                  std::size_t d, int bin) {
    std::pair<std::vector<Point>, std::vector<Point>> sides;
    for (const Point& point : points)
      (point.bins[d] <= bin ? sides.first : sides.second).push_back(point);
    return sides;
  }

  bool value_ = false;
  bool split_ = false;
  std::size_t feature_ = 0;
  int bin_ = 0;
  std::unique_ptr<PlainTree> left_, right_;
};

} // namespace

TEST_CASE("A tree grown level by level is the plain tree of all points") {
  RandomStream random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const auto D = static_cast<std::size_t>(1 + random.below(4));
    const TreeSettings settings{.depth = static_cast<int>(1 + random.below(4)),
                                .bins = static_cast<Index>(2 + random.below(6)),
                                .least_points = static_cast<Index>(1 + random.below(3))};
    const auto points = random_points(random, random.below(80), D, settings.bins);
    const DecisionTree tree = grown({points}, static_cast<Index>(D), settings);
    const PlainTree plain(points, D, settings, settings.depth);
    for (const Point& point : random_points(random, 50, D, settings.bins))
      if (tree(point.bins.data()) != plain(point)) FAIL_CHECK("trial " << trial);
  }
}

TEST_CASE("A tree is the same however its points are spread over machines") {
  RandomStream random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const TreeSettings settings{.depth = 3, .bins = 6, .least_points = 2, .features_per_node = 2};
    const auto points = random_points(random, 120, 5, settings.bins);
    std::vector<std::vector<Point>> parts(1 + random.below(6));
    for (const Point& point : points) parts[random.below(parts.size())].push_back(point);
    const auto text = [&](DecisionTree tree) {
      std::ostringstream out;
      boost::archive::binary_oarchive(out, boost::archive::no_header) << tree;
      return out.str();
    };
    CHECK(text(grown(parts, 5, settings)) == text(grown({points}, 5, settings)));
  }
}

TEST_CASE("Features that say nothing, labels that are all alike and no points make no split") {
  const TreeSettings settings{.depth = 4, .bins = 4, .least_points = 1};
  const std::vector<Point> constant{{{2}, true}, {{2}, false}, {{2}, true}};
  CHECK(grown({constant}, 1, settings).size() == 1);
  CHECK(grown({constant}, 1, settings)(constant[0].bins.data()));
  const std::vector<Point> alike{{{0}, false}, {{3}, false}};
  CHECK(grown({alike}, 1, settings).size() == 1);
  CHECK(grown({{}}, 1, settings).size() == 1);
  CHECK_FALSE(grown({{}}, 1, settings)(alike[0].bins.data()));
}

TEST_CASE("A tree that arrives damaged is refused") {
  RandomStream random(3);
  const TreeSettings settings{.depth = 3, .bins = 4, .least_points = 1};
  DecisionTree tree = grown({random_points(random, 60, 3, 4)}, 3, settings);
  REQUIRE(tree.size() > 3);
  std::ostringstream out;
  boost::archive::binary_oarchive(out, boost::archive::no_header) << tree;
  const std::string good = out.str();
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    std::istringstream in(bad);
    DecisionTree other;
    try {
      boost::archive::binary_iarchive(in, boost::archive::no_header) >> other;
    } catch (const std::exception&) { // ours, or the archive's own
      ++refused;
      continue;
    }
    // Whatever was let through must answer without leaving its memory.
    for (const Point& point : random_points(random, 5, 3, 4)) (void)other(point.bins.data());
  }
  CHECK(refused > static_cast<int>(good.size()) / 10);
}

TEST_CASE("Bins are of equal width, open at the ends") {
  const FeatureBins bins(Eigen::Vector3f(0, -1, 5), Eigen::Vector3f(4, 1, 5), 4);
  Eigen::MatrixXf U(3, 6);
  U << -9, 0, 0.9F, 1, 3.99F, 9, -2, -1, -0.51F, -0.5F, 0.49F, 7, 4, 5, 6, 7, 8, 9;
  BinMatrix found;
  bins.sort(U, found);
  BinMatrix expected(3, 6);
  expected << 0, 0, 0, 1, 3, 3, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0;
  CHECK(found == expected);
  CHECK_THROWS_AS(bins.sort(U.topRows(2), found), ShapeError);
  CHECK_THROWS_AS(FeatureBins(Eigen::Vector2f(0, 0), Eigen::Vector2f(1, 1), 1), ConfigError);
  CHECK_THROWS_AS(FeatureBins(Eigen::Vector2f(0, 0), Eigen::Vector2f(1, 1), 257), ConfigError);
}

TEST_CASE("Settings out of range are refused") {
  CHECK_THROWS_AS(TreeSettings{.depth = 0}.validate(), ConfigError);
  CHECK_THROWS_AS(TreeSettings{.depth = 21}.validate(), ConfigError);
  CHECK_THROWS_AS(TreeSettings{.bins = 1}.validate(), ConfigError);
  CHECK_THROWS_AS(TreeSettings{.least_points = 0}.validate(), ConfigError);
  CHECK_THROWS_AS(TreeSettings{.features_per_node = -1}.validate(), ConfigError);
  CHECK(DecisionTree::candidates_of(30, {}) == 30);
  CHECK(DecisionTree::candidates_of(100, {}) == 20); // 2 sqrt(100)
  CHECK(DecisionTree::candidates_of(100, {.features_per_node = 200}) == 100);
}
