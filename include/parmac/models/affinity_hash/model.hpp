// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/models/binary_autoencoder/mapped_hash.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// One machine's points, their classes, and their binary coordinates.
struct AffinityShard {
  /// Coordinates of `bits` zeros each. @throws ShapeError unless there is a label for every point.
  AffinityShard(Points x, std::vector<std::uint8_t> classes, Index bits)
      : points(std::move(x)), labels(std::move(classes)), Z(bits, points.size()) {
    require<ShapeError>(static_cast<Index>(labels.size()) == points.size(), points.source(),
                        " has ", points.size(), " points for ", labels.size(), " labels");
  }

  [[nodiscard]] Index size() const { return points.size(); }

  Points points;                    ///< X, D x N_p
  std::vector<std::uint8_t> labels; ///< The class of each point.
  PackedCodes Z;                    ///< L bits a point
};

/// Supervised hash functions: codes that are alike for points of one class and differ for points of
/// two. The nested objective is that of Liu et al. (KSH, CVPR 2012) on h(x): the mean over pairs of
/// (b_n'b_m / L - y_nm)^2, b being the bits as -1 and +1, y_nm = 1 for two points of a class and
/// `AffinitySettings::different` otherwise; see `AffinityCoordinates` for the codes' part.
/// Submodels 0 .. L-1 are the bits. Models Submodels.
/// Source: Raziperchikolaei and Carreira-Perpinan, "Optimizing affinity-based binary hashing using
/// auxiliary coordinates" (NIPS 2016).
class AffinityHash {
public:
  using shard_type = AffinityShard;

  /// @throws ConfigError
  AffinityHash(FeatureMap map, Index bits, HashSettings settings = {})
      : scaling_(map.inputs), hash_(std::move(map), bits, settings) {}

  [[nodiscard]] Index bits() const { return hash_.bits(); } ///< L
  [[nodiscard]] const Scaling& scaling() const { return scaling_; }
  [[nodiscard]] Scaling& scaling() { return scaling_; }
  [[nodiscard]] const MappedHash& hash() const { return hash_; }
  [[nodiscard]] MappedHash& hash() { return hash_; }

  /// Scores (L x B) of scaled points U (D x B); bit l is 1 where row l is above 0.
  void scores(const Eigen::MatrixXf& U, Eigen::MatrixXf& S) const { hash_.scores(U, S); }

  /// h(x) of all points, over `threads`. @throws ShapeError when D differs.
  [[nodiscard]] PackedCodes encode(const Points& points, int threads = 1) const {
    return encode_points(*this, points, threads);
  }

  // As Submodels asks for.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(bits()); }
  [[nodiscard]] std::span<float> parameters(SubmodelRange range) {
    return hash_.parameters(static_cast<Index>(range.first), static_cast<Index>(range.size()));
  }
  /// One pass over the shard. @throws ShapeError, NumericalError
  void train(SubmodelRange range, const AffinityShard& shard, const Visit& visit) {
    scaling_.require_dimension(shard.points);
    hash_.train(static_cast<Index>(range.first), static_cast<Index>(range.size()), 0, shard.points,
                shard.Z, scaling_, visit);
  }

private:
  Scaling scaling_;
  MappedHash hash_;
};
static_assert(Submodels<AffinityHash> && FlatSubmodels<AffinityHash>);

} // namespace parmac
