// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/models/binary_autoencoder/linear_decoder.hpp"
#include "parmac/models/binary_autoencoder/linear_hash.hpp"
#include "parmac/models/binary_autoencoder/scaling.hpp"
#include "parmac/solvers/decision_tree.hpp"
#include "parmac/solvers/feature_bins.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// A binary autoencoder whose bits are decision trees: no gradient of the encoder exists, and its
/// submodels are no flat memory, so they travel through Boost.Serialization. The decoder is linear
/// and exact; objective and Z step are those of `BinaryAutoencoder` and `BinaryCoordinates`.
///
/// Submodels 0 .. L-1 are the trees, L .. L+D-1 the outputs of the decoder. Trees are grown anew in
/// each W step, a level a lap: `depth` laps, whatever epochs are asked for. What travels are the
/// histograms of the last level, so at most 2^depth leaves x candidates x bins x 2 numbers of 8
/// bytes a tree; trees are the same for any number of machines. Models Submodels.
class TreeAutoencoder {
public:
  using shard_type = BinaryShard;

  /// Trees that say 0. @throws ConfigError
  TreeAutoencoder(Index features, Index bits, TreeSettings settings = {})
      : settings_(settings),
        scaling_(features),
        bins_(Eigen::VectorXf::Zero(features), Eigen::VectorXf::Zero(features), settings.bins),
        decoder_(bits, features),
        trees_(static_cast<std::size_t>(bits)),
        laps_(trees_.size(), 0),
        solved_(static_cast<std::size_t>(features), 1) {
    settings.validate();
  }

  [[nodiscard]] Index features() const { return scaling_.features(); } ///< D
  [[nodiscard]] Index bits() const { return decoder_.bits(); }         ///< L
  [[nodiscard]] const TreeSettings& settings() const { return settings_; }
  [[nodiscard]] const Scaling& scaling() const { return scaling_; }
  [[nodiscard]] const std::vector<DecisionTree>& trees() const { return trees_; }
  /// (L + 1) x D: A' over c'.
  [[nodiscard]] const Eigen::MatrixXf& decoder() const { return decoder_.weights(); }

  /// Sets how points are scaled, and how scaled points are cut into bins; alike on all machines.
  /// @throws ShapeError
  void set_scaling(Scaling scaling, FeatureBins bins) {
    require<ShapeError>(scaling.features() == features() && bins.features() == features() &&
                            bins.bins() == settings_.bins,
                        "a scaling of ", scaling.features(), " features and ", bins.bins(),
                        " bins of ", bins.features(), " for a model of ", features(), " and ",
                        settings_.bins);
    scaling_ = std::move(scaling);
    bins_ = std::move(bins);
  }

  /// Scores (L x B) of scaled points U (D x B): 1 where a tree says 1, else -1.
  void scores(const Eigen::MatrixXf& U, Eigen::MatrixXf& S) const {
    BinMatrix sorted;
    bins_.sort(U, sorted);
    S.resize(bits(), U.cols());
    for (Index l = 0; l < bits(); ++l)
      for (Index j = 0; j < U.cols(); ++j)
        S(l, j) = trees_[static_cast<std::size_t>(l)](sorted.col(j).data()) ? 1.0F : -1.0F;
  }

  /// h(x) of all points, over `threads`. @throws ShapeError when D differs.
  [[nodiscard]] PackedCodes encode(const Points& points, int threads = 1) const {
    return encode_points(*this, points, threads);
  }

  // As Submodels asks for.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(bits() + features()); }
  [[nodiscard]] std::vector<SubmodelRange> kinds() const {
    return {{0, trees_.size()}, output_layer()};
  }
  [[nodiscard]] SubmodelRange output_layer() const { return {trees_.size(), size()}; }
  [[nodiscard]] int epochs(SubmodelRange range, int) const {
    return is_decoder(range) ? 1 : settings_.depth;
  }

  /// One pass over the shard. @throws ShapeError @throws ConfigError with `local_epochs`, as a
  /// level must have seen all machines before the next.
  void train(SubmodelRange range, const BinaryShard& shard, const Visit& visit) {
    scaling_.require_dimension(shard.points);
    if (is_decoder(range)) {
      decoder_.gather(first_output(range), static_cast<Index>(range.size()), shard, visit);
      mark(range, 0);
      return;
    }
    for (std::size_t l = range.first; l < range.last; ++l) next_level(l, visit);
    BinMatrix sorted;
    scaling_.for_each_block(shard.points, 1, [&](Index first, const Eigen::MatrixXf& U) {
      visit.progress();
      bins_.sort(U, sorted);
      for (std::size_t l = range.first; l < range.last; ++l)
        for (Index j = 0; j < sorted.cols(); ++j)
          trees_[l].count(sorted.col(j).data(), shard.Z.get(first + j, static_cast<Index>(l)));
    });
  }

  /// The trees' last level; solves for the decoder.
  void finish(SubmodelRange range) {
    if (is_decoder(range)) {
      decoder_.solve(first_output(range), static_cast<Index>(range.size()), scaling_, 0);
      mark(range, 1);
    } else {
      for (std::size_t l = range.first; l < range.last; ++l) trees_[l].finish();
    }
  }

  /// Trees with what they have counted; of the decoder its statistics, or, once solved, its
  /// weights.
  /// @throws DataError for what arrives damaged.
  template <class Archive>
  void serialize(Archive& archive, SubmodelRange range) {
    if (!is_decoder(range)) {
      for (std::size_t l = range.first; l < range.last; ++l) archive& trees_[l] & laps_[l];
      return;
    }
    std::uint8_t solved = solved_[range.first - trees_.size()];
    archive& solved;
    mark(range, solved);
    const auto numbers = [&](auto memory) {
      for (auto& number : memory) archive& number;
    };
    const auto count = static_cast<Index>(range.size());
    if (solved != 0)
      numbers(decoder_.parameters(first_output(range), count));
    else
      numbers(decoder_.statistics(first_output(range), count));
  }

private:
  [[nodiscard]] bool is_decoder(SubmodelRange range) const { return range.first >= trees_.size(); }
  [[nodiscard]] Index first_output(SubmodelRange range) const {
    return static_cast<Index>(range.first - trees_.size());
  }
  void mark(SubmodelRange range, std::uint8_t solved) {
    for (std::size_t m = range.first; m < range.last; ++m) solved_[m - trees_.size()] = solved;
  }

  // A lap is a level: where a new one begins, the counts of all machines are in.
  void next_level(std::size_t l, const Visit& visit) {
    const auto stream = [&](std::int32_t node) {
      constexpr std::uint64_t purpose = 0x74726565;
      return RandomStream(visit.seed, static_cast<std::uint64_t>(visit.iteration), purpose, l,
                          static_cast<std::uint64_t>(node));
    };
    if (visit.first()) {
      trees_[l].begin(features(), settings_, stream);
      laps_[l] = visit.epoch;
      return;
    }
    require(visit.epoch == laps_[l] || visit.epoch == laps_[l] + 1, "a tree in lap ", laps_[l],
            " is to be trained in epoch ", visit.epoch,
            ": trees grow a level a lap over all machines, so local_epochs must be off");
    if (visit.epoch == laps_[l]) return;
    trees_[l].split(stream);
    laps_[l] = visit.epoch;
  }

  TreeSettings settings_;
  Scaling scaling_;
  FeatureBins bins_;
  LinearDecoder decoder_;
  std::vector<DecisionTree> trees_;
  std::vector<int> laps_;            // of each tree, the lap that its counts belong to
  std::vector<std::uint8_t> solved_; // of each output, whether its weights are up to date
};
static_assert(Submodels<TreeAutoencoder> && !FlatSubmodels<TreeAutoencoder>);

} // namespace parmac
