// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/models/binary_autoencoder/linear_decoder.hpp"
#include "parmac/models/binary_autoencoder/linear_hash.hpp"
#include "parmac/models/binary_autoencoder/scaling.hpp"
#include "parmac/models/binary_autoencoder/shard.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// How the decoder learns.
enum class DecoderFit {
  exact, ///< Least squares, from statistics that ride the ring once a W step.
  sgd    ///< Stochastic gradient descent, as the encoder.
};

/// Settings of the binary autoencoder's layers.
struct BinaryAutoencoderSettings {
  double lambda = 1e-4;    ///< Regulariser of the encoder's SVMs (and the SGD decoder), >= 0.
  Index minibatch = 100;   ///< Points an SGD update, >= 1.
  Index chunk = 4096;      ///< Points that are shuffled together, >= 1.
  double encoder_step = 0; ///< First step size; 0: found on a sample by `start`.
  double decoder_step = 0; ///< The same for the SGD decoder.
  DecoderFit decoder = DecoderFit::exact;
  double ridge = 0; ///< Exact decoder: ridge |A|^2 is added to the sum over the points, >= 0.

  /// @throws ConfigError
  void validate() const {
    require(lambda >= 0 && std::isfinite(lambda), "lambda is ", lambda,
            "; it must be finite and not negative");
    require(minibatch >= 1 && chunk >= 1, "minibatches of ", minibatch, " points in chunks of ",
            chunk, "; both must be at least 1");
    require(encoder_step >= 0 && decoder_step >= 0 && std::isfinite(encoder_step + decoder_step),
            "the step sizes are ", encoder_step, " and ", decoder_step,
            "; they must be finite and not negative");
    require(ridge >= 0 && std::isfinite(ridge), "the ridge is ", ridge,
            "; it must be finite and not negative");
  }
};

/// The binary autoencoder: encoder h(x) = step(W'u + b), L linear SVMs, and linear decoder
/// f(z) = A z + c that reconstructs u, where u = (x - centre) / scale and z has L bits. With the
/// centre at the mean and the scale such that the points' total variance is 1 (see `start`), the
/// objective a point is the fraction of the variance that the codes do not explain, and the penalty
/// mu has the same unit, whatever the data's.
///
/// Submodels 0 .. L-1 are the bits of the encoder, L .. L+D-1 the outputs of the decoder; M = L +
/// D. Source: Carreira-Perpinan and Raziperchikolaei, "Hashing with binary autoencoders" (CVPR
/// 2015); ParMAC. Models Submodels.
class BinaryAutoencoder {
public:
  using shard_type = BinaryShard;

  /// A model of zeros. @throws ConfigError unless D >= 1 and L >= 1.
  BinaryAutoencoder(Index features, Index bits, BinaryAutoencoderSettings settings = {})
      : settings_(settings), scaling_(features), decoder_(bits, features) {
    settings.validate();
    encoder_.setZero(features + 1, bits);
  }

  [[nodiscard]] Index features() const { return scaling_.features(); } ///< D
  [[nodiscard]] Index bits() const { return encoder_.cols(); }         ///< L
  [[nodiscard]] const BinaryAutoencoderSettings& settings() const { return settings_; }
  [[nodiscard]] BinaryAutoencoderSettings& settings() { return settings_; }
  [[nodiscard]] const Scaling& scaling() const { return scaling_; }
  [[nodiscard]] Scaling& scaling() { return scaling_; }
  /// (D + 1) x L: a bit a column, its bias last.
  [[nodiscard]] const Eigen::MatrixXf& encoder() const { return encoder_; }
  [[nodiscard]] Eigen::MatrixXf& encoder() { return encoder_; }
  /// (L + 1) x D: an output a column, its bias last; that is, A' over c'.
  [[nodiscard]] const Eigen::MatrixXf& decoder() const { return decoder_.weights(); }
  [[nodiscard]] Eigen::MatrixXf& decoder() { return decoder_.weights(); }

  /// The scores W'u + b, L x B, of scaled points U, D x B. Column j depends on point j alone, bit
  /// for bit.
  void scores(const Eigen::MatrixXf& U, Eigen::MatrixXf& S) const {
    linear_hash_scores(encoder_, U, S);
  }

  /// h(x) of all points. O(N L D) over `threads`. @throws ShapeError when D differs.
  [[nodiscard]] PackedCodes encode(const Points& points, int threads = 1) const {
    return encode_points(*this, points, threads);
  }

  // As Submodels asks for.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(bits() + features()); }
  [[nodiscard]] std::vector<SubmodelRange> kinds() const {
    return {{0, static_cast<std::size_t>(bits())}, output_layer()};
  }
  [[nodiscard]] SubmodelRange output_layer() const {
    return {static_cast<std::size_t>(bits()), size()};
  }
  /// The exact decoder's statistics need one pass, however many the SGD makes.
  [[nodiscard]] int epochs(SubmodelRange range, int asked) const {
    return learns_exactly(range) ? 1 : asked;
  }
  [[nodiscard]] std::span<float> parameters(SubmodelRange range) {
    const auto [first, count] = columns(range);
    if (!is_encoder(range)) return decoder_.parameters(first, count);
    return {encoder_.data() + first * encoder_.rows(),
            static_cast<std::size_t>(count * encoder_.rows())};
  }
  [[nodiscard]] std::span<double> statistics(SubmodelRange range) {
    if (!learns_exactly(range)) return {};
    const auto [first, count] = columns(range);
    return decoder_.statistics(first, count);
  }

  /// One pass over the shard. @throws ShapeError, NumericalError
  void train(SubmodelRange range, const BinaryShard& shard, const Visit& visit) {
    scaling_.require_dimension(shard.points);
    const auto [first, count] = columns(range);
    const MinibatchSettings minibatches{settings_.minibatch, settings_.chunk};
    if (is_encoder(range))
      train_linear_hash(encoder_.middleCols(first, count), first, shard.Z, settings_.lambda,
                        settings_.encoder_step, minibatches, visit,
                        [&](const Minibatch& which, Eigen::Ref<Eigen::MatrixXf> X) {
                          scaling_.gather(shard.points, which, X);
                        });
    else if (learns_exactly(range))
      decoder_.gather(first, count, shard, visit);
    else
      decoder_.descend(first, count, shard, scaling_, settings_.lambda, settings_.decoder_step,
                       minibatches, visit);
  }

  /// Solves for the exact decoder.
  void finish(SubmodelRange range) {
    if (!learns_exactly(range)) return;
    const auto [first, count] = columns(range);
    decoder_.solve(first, count, scaling_, settings_.ridge);
  }

private:
  struct Columns {
    Index first;
    Index count;
  };

  [[nodiscard]] bool is_encoder(SubmodelRange range) const {
    return range.first < static_cast<std::size_t>(bits());
  }
  [[nodiscard]] bool learns_exactly(SubmodelRange range) const {
    return !is_encoder(range) && settings_.decoder == DecoderFit::exact;
  }
  // The range within its layer.
  [[nodiscard]] Columns columns(SubmodelRange range) const {
    const std::size_t before = is_encoder(range) ? 0 : static_cast<std::size_t>(bits());
    return {static_cast<Index>(range.first - before), static_cast<Index>(range.size())};
  }

  BinaryAutoencoderSettings settings_;
  Scaling scaling_;
  Eigen::MatrixXf encoder_;
  LinearDecoder decoder_;
};
static_assert(Submodels<BinaryAutoencoder> && FlatSubmodels<BinaryAutoencoder>);

} // namespace parmac
