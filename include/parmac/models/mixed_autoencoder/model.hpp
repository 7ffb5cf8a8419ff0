// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/models/binary_autoencoder/linear_decoder.hpp"
#include "parmac/models/binary_autoencoder/mapped_hash.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// A binary autoencoder whose bits are hash functions of different kinds and sizes, feature-wise:
/// some see all features of a point, others a few of them, others radial basis functions of it. The
/// decoder is linear and exact, as is the objective of `BinaryAutoencoder`; `BinaryCoordinates` is
/// its Z step.
///
/// Submodels are the bits of the first part, of the second, and so on, then the D outputs of the
/// decoder. Every part is a kind of its own, and `cost` says what a visit of each is worth, so that
/// machines are given equal work. Models Submodels.
class MixedAutoencoder {
public:
  using shard_type = BinaryShard;

  /// @throws ConfigError without parts. @throws ShapeError when parts see other points.
  explicit MixedAutoencoder(std::vector<MappedHash> parts)
      : parts_(checked(std::move(parts))),
        scaling_(parts_.front().map().inputs),
        decoder_(total_bits(parts_), scaling_.features()) {}

  [[nodiscard]] Index features() const { return scaling_.features(); } ///< D
  [[nodiscard]] Index bits() const { return decoder_.bits(); }         ///< L
  [[nodiscard]] const Scaling& scaling() const { return scaling_; }
  [[nodiscard]] Scaling& scaling() { return scaling_; }
  [[nodiscard]] const std::vector<MappedHash>& parts() const { return parts_; }
  [[nodiscard]] std::vector<MappedHash>& parts() { return parts_; }
  /// (L + 1) x D: A' over c'.
  [[nodiscard]] const Eigen::MatrixXf& decoder() const { return decoder_.weights(); }

  /// Scores (L x B) of scaled points U (D x B); bit l is 1 where row l is above 0.
  void scores(const Eigen::MatrixXf& U, Eigen::MatrixXf& S) const {
    S.resize(bits(), U.cols());
    Eigen::MatrixXf own;
    Index first = 0;
    for (const MappedHash& part : parts_) {
      part.scores(U, own);
      S.middleRows(first, part.bits()) = own;
      first += part.bits();
    }
  }

  /// h(x) of all points, over `threads`. @throws ShapeError when D differs.
  [[nodiscard]] PackedCodes encode(const Points& points, int threads = 1) const {
    return encode_points(*this, points, threads);
  }

  // As Submodels asks for.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(bits() + features()); }
  [[nodiscard]] std::vector<SubmodelRange> kinds() const {
    std::vector<SubmodelRange> kinds;
    std::size_t first = 0;
    for (const MappedHash& part : parts_) {
      kinds.push_back({first, first + static_cast<std::size_t>(part.bits())});
      first = kinds.back().last;
    }
    kinds.push_back(output_layer());
    return kinds;
  }
  [[nodiscard]] SubmodelRange output_layer() const {
    return {static_cast<std::size_t>(bits()), size()};
  }
  [[nodiscard]] int epochs(SubmodelRange range, int asked) const {
    return is_decoder(range) ? 1 : asked;
  }
  /// Multiplications a point, about: a bit's weights twice; an output's row of the statistics.
  [[nodiscard]] double cost(SubmodelRange range) const {
    double sum = 0;
    for (std::size_t m = range.first; m < range.last; ++m)
      sum += is_decoder({m, m + 1})
                 ? static_cast<double>(bits() + 1)
                 : 2 * static_cast<double>(parts_[place({m, m + 1}).part].weights().rows());
    return sum;
  }
  [[nodiscard]] std::span<float> parameters(SubmodelRange range) {
    const Place at = place(range);
    return is_decoder(range) ? decoder_.parameters(at.first, at.count)
                             : parts_[at.part].parameters(at.first, at.count);
  }
  [[nodiscard]] std::span<double> statistics(SubmodelRange range) {
    const Place at = place(range);
    return is_decoder(range) ? decoder_.statistics(at.first, at.count) : std::span<double>();
  }

  /// One pass over the shard. @throws ShapeError, NumericalError
  void train(SubmodelRange range, const BinaryShard& shard, const Visit& visit) {
    scaling_.require_dimension(shard.points);
    const Place at = place(range);
    if (is_decoder(range))
      decoder_.gather(at.first, at.count, shard, visit);
    else
      parts_[at.part].train(at.first, at.count, at.offset, shard.points, shard.Z, scaling_, visit);
  }
  /// Solves for the decoder.
  void finish(SubmodelRange range) {
    const Place at = place(range);
    if (is_decoder(range)) decoder_.solve(at.first, at.count, scaling_, 0);
  }

private:
  struct Place {
    std::size_t part; ///< parts().size() for the decoder
    Index offset;     ///< the part's first bit in the code
    Index first;      ///< within the part
    Index count;
  };

  static std::vector<MappedHash> checked(std::vector<MappedHash> parts) {
    require(!parts.empty(), "a mixed autoencoder needs at least one part");
    for (const MappedHash& part : parts)
      require<ShapeError>(part.map().inputs == parts.front().map().inputs,
                          "one part sees points of ", part.map().inputs,
                          " features, the first one points of ", parts.front().map().inputs);
    return parts;
  }
  static Index total_bits(const std::vector<MappedHash>& parts) {
    Index sum = 0;
    for (const MappedHash& part : parts) sum += part.bits();
    return sum;
  }
  [[nodiscard]] bool is_decoder(SubmodelRange range) const {
    return range.first >= static_cast<std::size_t>(bits());
  }
  [[nodiscard]] Place place(SubmodelRange range) const {
    const auto first = static_cast<Index>(range.first);
    Place at{0, 0, first, static_cast<Index>(range.size())};
    while (at.part < parts_.size() && at.first >= parts_[at.part].bits()) {
      at.offset += parts_[at.part].bits();
      at.first -= parts_[at.part].bits();
      ++at.part;
    }
    return at;
  }

  std::vector<MappedHash> parts_;
  Scaling scaling_;
  LinearDecoder decoder_;
};
static_assert(Submodels<MixedAutoencoder> && FlatSubmodels<MixedAutoencoder>);

} // namespace parmac
