// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/models/binary_autoencoder/scaling.hpp"
#include "parmac/solvers/rbf_features.hpp"
#include "parmac/solvers/ridge_layer.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// One machine's points and their low-dimensional coordinates.
struct RbfShard {
  RbfShard(Points x, Index dimensions)
      : points(std::move(x)), Z(Eigen::MatrixXf::Zero(dimensions, points.size())) {}

  [[nodiscard]] Index size() const { return points.size(); }

  Points points;     ///< X, D x N_p
  Eigen::MatrixXf Z; ///< L x N_p
};

/// Settings of an RBF autoencoder.
struct RbfSettings {
  double encoder_ridge = 1e-4; ///< Beside the mean over the points, >= 0.
  double decoder_ridge = 1e-4; ///< The same.

  /// @throws ConfigError
  void validate() const {
    require(encoder_ridge >= 0 && decoder_ridge >= 0 &&
                std::isfinite(encoder_ridge + decoder_ridge),
            "the ridges are ", encoder_ridge, " and ", decoder_ridge,
            "; they must be finite and not negative");
  }
};

/// An autoencoder of two radial-basis-function networks: z = F(x) = A phi(u) + a in L dimensions,
/// and f(z) = B psi(z) + b, which reconstructs the scaled point u. The centres of phi lie among the
/// points, those of psi among the first coordinates; `start` sets both, and they stay. Submodels
/// 0 .. L-1 are the outputs of F, the D others those of f, all by exact ridge regression whose
/// statistics ride the ring. Models Submodels.
/// Source: Carreira-Perpinan and Wang, "Distributed optimization of deeply nested systems" (AISTATS
/// 2014), section on RBF autoencoders.
class RbfAutoencoder {
public:
  using shard_type = RbfShard;

  /// Zeros, without centres. @throws ConfigError
  RbfAutoencoder(Index features, Index dimensions, Index encoder_centres, Index decoder_centres,
                 RbfSettings settings = {})
      : settings_(settings),
        scaling_(features),
        phi_{features, encoder_centres, {}},
        encoder_(encoder_centres, dimensions),
        decoder_(decoder_centres, features) {
    settings.validate();
    set_decoder_centres(Eigen::MatrixXf::Zero(dimensions, decoder_centres), 1);
    set_encoder_centres(Eigen::MatrixXf::Zero(features, encoder_centres), 1);
  }

  [[nodiscard]] Index features() const { return scaling_.features(); }  ///< D
  [[nodiscard]] Index dimensions() const { return encoder_.outputs(); } ///< L
  [[nodiscard]] Index encoder_centres() const { return encoder_.inputs(); }
  [[nodiscard]] Index decoder_centres() const { return decoder_.inputs(); }
  [[nodiscard]] const Scaling& scaling() const { return scaling_; }
  [[nodiscard]] Scaling& scaling() { return scaling_; }
  /// L x centres, and the width: what psi is made of.
  [[nodiscard]] const Eigen::MatrixXf& centres() const { return centres_; }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] const RidgeLayer& decoder() const { return decoder_; }

  /// @throws ShapeError, ConfigError
  void set_encoder_centres(Eigen::MatrixXf centres, double width) {
    require<ShapeError>(centres.rows() == features() && centres.cols() == encoder_.inputs(),
                        "centres of ", centres.rows(), " x ", centres.cols(), "; expected ",
                        features(), " x ", encoder_.inputs());
    phi_ = rbf_features(std::move(centres), width);
  }
  /// @throws ShapeError, ConfigError
  void set_decoder_centres(Eigen::MatrixXf centres, double width) {
    require<ShapeError>(centres.rows() == dimensions() && centres.cols() == decoder_.inputs(),
                        "centres of ", centres.rows(), " x ", centres.cols(), "; expected ",
                        dimensions(), " x ", decoder_.inputs());
    psi_ = rbf_features(centres, width);
    centres_ = std::move(centres);
    width_ = width;
  }

  /// F of scaled points U (D x B): L x B. Column j depends on point j alone.
  [[nodiscard]] Eigen::MatrixXf encode(const Eigen::MatrixXf& U) const {
    Eigen::MatrixXf features;
    phi_.map(U, features);
    return encoder_(features);
  }
  /// f of coordinates Z (L x B): scaled points, D x B.
  [[nodiscard]] Eigen::MatrixXf decode(const Eigen::MatrixXf& Z) const {
    Eigen::MatrixXf features;
    psi_.map(Z, features);
    return decoder_(features);
  }

  /// @throws ShapeError
  void require_matching(const RbfShard& shard) const {
    scaling_.require_dimension(shard.points);
    require<ShapeError>(shard.Z.rows() == dimensions() && shard.Z.cols() == shard.size(),
                        "coordinates of ", shard.Z.rows(), " x ", shard.Z.cols(), " for ",
                        shard.size(), " points in ", dimensions(), " dimensions");
  }

  // As Submodels asks for.
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(dimensions() + features());
  }
  [[nodiscard]] std::vector<SubmodelRange> kinds() const {
    return {{0, static_cast<std::size_t>(dimensions())}, output_layer()};
  }
  [[nodiscard]] SubmodelRange output_layer() const {
    return {static_cast<std::size_t>(dimensions()), size()};
  }
  [[nodiscard]] int epochs(SubmodelRange, int) const { return 1; }
  [[nodiscard]] std::span<float> parameters(SubmodelRange range) {
    return layer(range).parameters(local(range), static_cast<Index>(range.size()));
  }
  [[nodiscard]] std::span<double> statistics(SubmodelRange range) {
    return layer(range).statistics(local(range), static_cast<Index>(range.size()));
  }

  /// One pass over the shard. @throws ShapeError
  void train(SubmodelRange range, const RbfShard& shard, const Visit& visit) {
    require_matching(shard);
    const Index first = local(range);
    const auto count = static_cast<Index>(range.size());
    if (visit.first()) layer(range).forget(first, count);
    Eigen::MatrixXf features;
    scaling_.for_each_block(shard.points, 1, [&](Index n, const Eigen::MatrixXf& U) {
      visit.progress();
      if (is_encoder(range)) {
        phi_.map(U, features);
        encoder_.gather(first, count, features, shard.Z.block(first, n, count, U.cols()));
      } else {
        psi_.map(shard.Z.middleCols(n, U.cols()), features);
        decoder_.gather(first, count, features, U.middleRows(first, count));
      }
    });
  }
  /// Solves the regressions.
  void finish(SubmodelRange range) {
    layer(range).solve(local(range), static_cast<Index>(range.size()),
                       is_encoder(range) ? settings_.encoder_ridge : settings_.decoder_ridge);
  }

private:
  [[nodiscard]] bool is_encoder(SubmodelRange range) const {
    return range.first < static_cast<std::size_t>(dimensions());
  }
  [[nodiscard]] RidgeLayer& layer(SubmodelRange range) {
    return is_encoder(range) ? encoder_ : decoder_;
  }
  [[nodiscard]] Index local(SubmodelRange range) const {
    const auto first = static_cast<Index>(range.first);
    return is_encoder(range) ? first : first - dimensions();
  }

  RbfSettings settings_;
  Scaling scaling_;
  FeatureMap phi_;
  FeatureMap psi_;
  Eigen::MatrixXf centres_; // of psi
  double width_ = 1;
  RidgeLayer encoder_;
  RidgeLayer decoder_;
};
static_assert(Submodels<RbfAutoencoder> && FlatSubmodels<RbfAutoencoder>);

} // namespace parmac
