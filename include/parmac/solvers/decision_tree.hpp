// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/random.hpp"

namespace parmac {

/// How a decision tree grows.
struct TreeSettings {
  int depth = 6;               ///< Levels of splits, 1 to 20.
  Index bins = 32;             ///< Bins of a feature, 2 to 256.
  Index least_points = 10;     ///< Points on either side of a split at least, >= 1.
  Index features_per_node = 0; ///< Candidates, drawn at random; 0: all up to 32, else 2 sqrt(D).

  /// @throws ConfigError
  void validate() const {
    require(depth >= 1 && depth <= 20, "the depth of a tree is ", depth, "; it must be 1 to 20");
    require(bins >= 2 && bins <= 256, bins, " bins; there can be 2 to 256");
    require(least_points >= 1, "least_points is ", least_points, "; it must be at least 1");
    require(features_per_node >= 0, "features_per_node is ", features_per_node,
            "; it must not be negative");
  }
};

/// A binary decision tree for two classes, grown level by level from histograms. Points are seen as
/// the bins of their features. Each pass over all points counts, for every leaf of the last level,
/// the classes in each bin of each candidate feature; `split` then divides those leaves where the
/// Gini impurity falls most. Counts are whole numbers that add up over machines in any order, so
/// the tree is the same, bit for bit, however the points are spread.
/// Source: Breiman et al., "Classification and regression trees" (1984), for the criterion.
class DecisionTree {
public:
  /// A single leaf that says 0.
  DecisionTree() : nodes_(1) {}

  /// Begins a new tree with the first level's histograms empty. `stream(node)` draws the candidates
  /// of a node.
  template <class Stream>
  void begin(Index features, const TreeSettings& settings, Stream&& stream) {
    nodes_.assign(1, {});
    settings_ = settings;
    features_ = features;
    open({0}, stream);
  }

  /// Counts a point, given as the bins of its D features. O(depth + candidates).
  void count(const std::uint8_t* point, bool label) {
    const std::int32_t node = leaf(point);
    const std::int32_t place = nodes_[static_cast<std::size_t>(node)].place;
    if (place < 0) return;
    const auto first = static_cast<std::size_t>(place) * static_cast<std::size_t>(candidates());
    for (std::size_t c = 0; c < static_cast<std::size_t>(candidates()); ++c) {
      const std::size_t bin = point[candidates_[first + c]];
      ++counts_[((first + c) * static_cast<std::size_t>(settings_.bins) + bin) * 2 + label];
    }
  }

  /// Divides the leaves of the last level, and begins the next one's histograms.
  template <class Stream>
  void split(Stream&& stream) {
    open(divide(), stream);
  }

  /// Divides the leaves of the last level a last time, and forgets the histograms.
  void finish() {
    divide();
    frontier_.clear();
    candidates_.clear();
    counts_.clear();
  }

  /// The answer for a point. O(depth)
  [[nodiscard]] bool operator()(const std::uint8_t* point) const {
    return nodes_[static_cast<std::size_t>(leaf(point))].value != 0;
  }

  [[nodiscard]] std::size_t size() const { return nodes_.size(); } ///< Nodes, leaves included.
  [[nodiscard]] bool growing() const { return !frontier_.empty(); }

  /// Features that a node chooses from.
  [[nodiscard]] static Index candidates_of(Index features, const TreeSettings& settings) {
    Index count = settings.features_per_node;
    if (count == 0) {
      count = features;
      if (features > 32)
        for (count = 12; count * count < 4 * features; ++count) {
        }
    }
    return std::min(count, features);
  }

  /// As Boost.Serialization asks for. What arrives is checked, sizes before memory is taken for
  /// them. @throws DataError, ConfigError
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    std::uint64_t nodes = nodes_.size();
    std::uint64_t leaves = frontier_.size();
    archive& settings_.depth& settings_.bins& settings_.least_points& settings_.features_per_node;
    archive& features_& nodes& leaves;
    settings_.validate();
    require<DataError>(nodes >= 1 && nodes < std::uint64_t{2} << settings_.depth &&
                           leaves <= nodes && features_ >= 0 && features_ <= 1 << 24,
                       "a decision tree arrived damaged: ", nodes, " nodes of depth ",
                       settings_.depth, " at most, ", leaves, " of them growing, ", features_,
                       " features");
    nodes_.resize(nodes);
    frontier_.resize(leaves);
    candidates_.resize(leaves * static_cast<std::size_t>(candidates()));
    counts_.resize(candidates_.size() * static_cast<std::size_t>(settings_.bins) * 2);
    for (Node& node : nodes_)
      archive& node.feature& node.bin& node.left& node.right& node.place& node.value;
    for (std::int32_t& leaf : frontier_) archive& leaf;
    for (std::int32_t& candidate : candidates_) archive& candidate;
    for (std::uint64_t& count : counts_) archive& count;
    check();
  }

private:
  struct Node {
    std::int32_t feature = -1; ///< < 0: a leaf
    std::int32_t bin = 0;      ///< points in bins up to this one go left
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::int32_t place = -1; ///< among the leaves that are being divided
    std::int32_t value = 0;
  };
  struct Split {
    double score = 0;
    std::int32_t feature = -1;
    std::int32_t bin = 0;
    bool left = false; ///< what the two leaves say
    bool right = false;
  };

  [[nodiscard]] Index candidates() const { return candidates_of(features_, settings_); }

  [[nodiscard]] std::int32_t leaf(const std::uint8_t* point) const {
    std::int32_t at = 0;
    for (;;) {
      const Node& node = nodes_[static_cast<std::size_t>(at)];
      if (node.feature < 0) return at;
      at = point[node.feature] <= node.bin ? node.left : node.right;
    }
  }

  // Histograms for these leaves.
  template <class Stream>
  void open(std::vector<std::int32_t> leaves, Stream&& stream) {
    frontier_ = std::move(leaves);
    candidates_.clear();
    std::vector<std::int32_t> all(static_cast<std::size_t>(features_));
    const auto wanted = static_cast<std::ptrdiff_t>(candidates());
    for (std::size_t i = 0; i < frontier_.size(); ++i) {
      nodes_[static_cast<std::size_t>(frontier_[i])].place = static_cast<std::int32_t>(i);
      std::iota(all.begin(), all.end(), 0);
      if (candidates() < features_) {
        RandomStream random = stream(frontier_[i]);
        random.shuffle(std::span<std::int32_t>(all));
        std::sort(all.begin(), all.begin() + wanted);
      }
      candidates_.insert(candidates_.end(), all.begin(), all.begin() + wanted);
    }
    counts_.assign(candidates_.size() * static_cast<std::size_t>(settings_.bins) * 2, 0);
  }

  // The new leaves.
  std::vector<std::int32_t> divide() {
    std::vector<std::int32_t> leaves;
    for (std::size_t i = 0; i < frontier_.size(); ++i) {
      const auto at = static_cast<std::size_t>(frontier_[i]);
      nodes_[at].place = -1;
      const Split split = best(i, nodes_[at]);
      if (split.feature < 0) continue;
      nodes_[at].feature = split.feature;
      nodes_[at].bin = split.bin;
      nodes_[at].left = static_cast<std::int32_t>(nodes_.size());
      nodes_[at].right = nodes_[at].left + 1;
      for (const bool value : {split.left, split.right}) {
        leaves.push_back(static_cast<std::int32_t>(nodes_.size()));
        nodes_.push_back({.value = value ? 1 : 0});
      }
    }
    return leaves;
  }

  // The split with the largest sum over the sides of (a^2 + b^2) / (a + b), a and b being a side's
  // points of each class, which is the lowest impurity; of equals the first feature and bin. Also
  // tells the leaf what it says where it is not divided.
  Split best(std::size_t place, Node& leaf) const {
    const auto bins = static_cast<std::size_t>(settings_.bins);
    const auto features = static_cast<std::size_t>(candidates());
    Split found;
    for (std::size_t c = 0; c < features; ++c) {
      const std::uint64_t* counts = &counts_[(place * features + c) * bins * 2];
      std::uint64_t zeros = 0;
      std::uint64_t ones = 0;
      for (std::size_t b = 0; b < bins; ++b) {
        zeros += counts[2 * b];
        ones += counts[2 * b + 1];
      }
      if (c == 0) {
        leaf.value = ones > zeros ? 1 : 0;
        found.score = purity(zeros, ones) * (1 + 1e-12);
      }
      std::uint64_t left_zeros = 0;
      std::uint64_t left_ones = 0;
      for (std::size_t b = 0; b + 1 < bins; ++b) {
        left_zeros += counts[2 * b];
        left_ones += counts[2 * b + 1];
        const auto least = static_cast<std::uint64_t>(settings_.least_points);
        if (left_zeros + left_ones < least) continue;
        if (zeros + ones - left_zeros - left_ones < least) break;
        const double score =
            purity(left_zeros, left_ones) + purity(zeros - left_zeros, ones - left_ones);
        if (score > found.score)
          found = {score, candidates_[place * features + c], static_cast<std::int32_t>(b),
                   left_ones > left_zeros, ones - left_ones > zeros - left_zeros};
      }
    }
    return found;
  }

  static double purity(std::uint64_t zeros, std::uint64_t ones) {
    const auto a = static_cast<double>(zeros);
    const auto b = static_cast<double>(ones);
    return a + b > 0 ? (a * a + b * b) / (a + b) : 0;
  }

  void check() const {
    const auto sound = [&](bool good) {
      require<DataError>(good, "a decision tree arrived damaged: ", nodes_.size(), " nodes of ",
                         features_, " features, ", frontier_.size(), " of them growing");
    };
    const auto count = static_cast<std::int64_t>(nodes_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      const Node& node = nodes_[static_cast<std::size_t>(i)];
      sound(node.feature < features_ && node.place < static_cast<std::int64_t>(frontier_.size()));
      // Children come after their parent, so every way ends.
      sound(node.feature < 0 ||
            (node.left > i && node.left < count && node.right > i && node.right < count));
    }
    for (const std::int32_t node : frontier_) sound(node >= 0 && node < count);
    for (const std::int32_t feature : candidates_) sound(feature >= 0 && feature < features_);
  }

  TreeSettings settings_;
  Index features_ = 0;
  std::vector<Node> nodes_; // the root first
  // While it grows: the leaves of the last level, their candidates, and of those the counts, by
  // leaf, candidate, bin and class.
  std::vector<std::int32_t> frontier_;
  std::vector<std::int32_t> candidates_;
  std::vector<std::uint64_t> counts_;
};

} // namespace parmac
