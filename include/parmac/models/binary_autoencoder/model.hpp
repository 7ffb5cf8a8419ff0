// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/models/binary_autoencoder/shard.hpp"
#include "parmac/solvers/grouped_product.hpp"
#include "parmac/solvers/hinge.hpp"
#include "parmac/solvers/least_squares.hpp"
#include "parmac/solvers/minibatches.hpp"
#include "parmac/solvers/sgd.hpp"
#include "parmac/solvers/squared_error.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/threads.hpp"

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
  /// Points that are read and worked on at a time.
  static constexpr Index block_points = 1024;

  /// A model of zeros. @throws ConfigError unless D >= 1 and L >= 1.
  BinaryAutoencoder(Index features, Index bits, BinaryAutoencoderSettings settings = {})
      : settings_(settings), centre_(Eigen::VectorXf::Zero(std::max<Index>(features, 0))) {
    require(features >= 1, "the points have ", features, " features; they need at least 1");
    require(bits >= 1, "codes of ", bits, " bits were asked for; a code has at least 1 bit");
    settings.validate();
    encoder_.setZero(features + 1, bits);
    decoder_.setZero(bits + 1, features);
  }

  [[nodiscard]] Index features() const { return centre_.size(); } ///< D
  [[nodiscard]] Index bits() const { return encoder_.cols(); }    ///< L
  [[nodiscard]] const BinaryAutoencoderSettings& settings() const { return settings_; }
  [[nodiscard]] BinaryAutoencoderSettings& settings() { return settings_; }
  [[nodiscard]] const Eigen::VectorXf& centre() const { return centre_; }
  [[nodiscard]] float scale() const { return scale_; }
  /// (D + 1) x L: a bit a column, its bias last.
  [[nodiscard]] const Eigen::MatrixXf& encoder() const { return encoder_; }
  [[nodiscard]] Eigen::MatrixXf& encoder() { return encoder_; }
  /// (L + 1) x D: an output a column, its bias last; that is, A' over c'.
  [[nodiscard]] const Eigen::MatrixXf& decoder() const { return decoder_; }
  [[nodiscard]] Eigen::MatrixXf& decoder() { return decoder_; }

  /// u = (x - centre) / scale from now on. @throws ShapeError, ConfigError
  void set_scaling(Eigen::VectorXf centre, float scale) {
    require<ShapeError>(centre.size() == features(), "a centre of ", centre.size(),
                        " features for ", features());
    require(scale > 0 && std::isfinite(scale) && centre.allFinite(), "the scale is ", scale,
            "; it and the centre must be finite, and it positive");
    centre_ = std::move(centre);
    scale_ = scale;
  }

  /// x becomes u, a point a column.
  void normalise(Eigen::Ref<Eigen::MatrixXf> X) const {
    X = (X.colwise() - centre_) * (1.0F / scale_);
  }

  /// The scores W'u + b, L x B, of normalised points U, D x B. Column j depends on point j alone,
  /// bit for bit, so codes never depend on how points are cut into blocks.
  void scores(const Eigen::MatrixXf& U, Eigen::MatrixXf& S) const {
    S = encoder_.row(features()).transpose().replicate(1, U.cols());
    add_grouped_product(1.0F, encoder_.topRows(features()).transpose(), U, S);
  }

  /// h(x) of all points. O(N L D) over `threads`. @throws ShapeError when D differs.
  [[nodiscard]] PackedCodes encode(const Points& points, int threads = 1) const {
    require_dimension(points);
    PackedCodes codes(bits(), points.size());
    for_each_block(points, threads, [&](Index first, const Eigen::MatrixXf& U) {
      Eigen::MatrixXf S;
      scores(U, S);
      std::vector<std::uint64_t> words(static_cast<std::size_t>(codes.row_words()));
      for (Index j = 0; j < S.cols(); ++j) {
        pack_signs(S.col(j), words);
        codes.store_words(first + j, words);
      }
    });
    return codes;
  }

  /// Calls `use(first, U)` with blocks of normalised points in some order, from several threads.
  template <class Use>
  void for_each_block(const Points& points, int threads, Use&& use) const {
    const Index blocks = (points.size() + block_points - 1) / block_points;
    parallel_for(blocks, threads, [&](Index begin, Index end) {
      Eigen::MatrixXf U;
      for (Index block = begin; block < end; ++block) {
        const Index first = block * block_points;
        U.resize(features(), std::min(block_points, points.size() - first));
        points.load(first, U);
        normalise(U);
        use(first, std::as_const(U));
      }
    });
  }

  /// Bit l of the words becomes 1 where score l is above 0.
  template <class Scores>
  static void pack_signs(const Scores& scores, std::span<std::uint64_t> words) {
    std::fill(words.begin(), words.end(), 0);
    for (Index l = 0; l < scores.size(); ++l)
      words[static_cast<std::size_t>(l / 64)] |= std::uint64_t{scores(l) > 0} << (l % 64);
  }

  void require_dimension(const Points& points) const {
    require<ShapeError>(points.dimension() == features(), points.source(), " has points of ",
                        points.dimension(), " features; the model has ", features());
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
    Eigen::MatrixXf& weights = is_encoder(range) ? encoder_ : decoder_;
    const auto column = static_cast<std::size_t>(weights.rows());
    return {weights.data() + static_cast<std::size_t>(local(range).first) * column,
            range.size() * column};
  }
  [[nodiscard]] std::span<double> statistics(SubmodelRange range) {
    if (!learns_exactly(range)) return {};
    std::vector<double>& sums = statistics_[{range.first, range.last}];
    sums.resize(
        static_cast<std::size_t>(LeastSquares::size(bits(), static_cast<Index>(range.size()))));
    return sums;
  }

  /// One pass over the shard. @throws ShapeError, NumericalError
  void train(SubmodelRange range, const BinaryShard& shard, const Visit& visit) {
    require_dimension(shard.points);
    if (is_encoder(range))
      train_encoder(range, shard, visit);
    else if (learns_exactly(range))
      gather_statistics(range, shard, visit);
    else
      train_decoder(range, shard, visit);
  }

  /// Solves for the exact decoder. The statistics are of x; the map is wanted for u.
  void finish(SubmodelRange range) {
    if (!learns_exactly(range)) return;
    const Index m = static_cast<Index>(range.size());
    const LinearMap map = LeastSquares(statistics(range), bits(), m).solve(settings_.ridge);
    const Index first = local(range).first;
    const double shrink = 1.0 / static_cast<double>(scale_);
    auto columns = decoder_.middleCols(first, m);
    columns.topRows(bits()) = (map.A.transpose() * shrink).cast<float>();
    columns.row(bits()) =
        ((map.c - centre_.segment(first, m).cast<double>()) * shrink).cast<float>().transpose();
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
  [[nodiscard]] Columns local(SubmodelRange range) const {
    const std::size_t before = is_encoder(range) ? 0 : static_cast<std::size_t>(bits());
    return {static_cast<Index>(range.first - before), static_cast<Index>(range.size())};
  }
  [[nodiscard]] StepSchedule schedule(double eta0, const Visit& visit) const {
    return {eta0,
            static_cast<Index>(visit.points_before + visit.points_seen) / settings_.minibatch};
  }

  void train_encoder(SubmodelRange range, const BinaryShard& shard, const Visit& visit) {
    const auto [first, count] = local(range);
    RandomStream stream = visit.stream();
    train_pass(HingeUpdate{.lambda = settings_.lambda}, encoder_.middleCols(first, count),
               schedule(settings_.encoder_step, visit), shard.size(),
               {settings_.minibatch, settings_.chunk}, stream,
               [&, first = first, count = count](std::span<const Index> which, Eigen::MatrixXf& X,
                                                 Eigen::MatrixXf& Y) {
                 visit.progress();
                 shard.points.gather(which, X);
                 normalise(X);
                 for (std::size_t j = 0; j < which.size(); ++j)
                   for (Index l = 0; l < count; ++l)
                     Y(static_cast<Index>(j), l) = shard.Z.get(which[j], first + l) ? 1.0F : -1.0F;
               });
  }

  void train_decoder(SubmodelRange range, const BinaryShard& shard, const Visit& visit) {
    const auto [first, count] = local(range);
    RandomStream stream = visit.stream();
    Eigen::MatrixXf U;
    train_pass(SquaredErrorUpdate{.lambda = settings_.lambda}, decoder_.middleCols(first, count),
               schedule(settings_.decoder_step, visit), shard.size(),
               {settings_.minibatch, settings_.chunk}, stream,
               [&, first = first, count = count](std::span<const Index> which, Eigen::MatrixXf& X,
                                                 Eigen::MatrixXf& Y) {
                 visit.progress();
                 U.resize(features(), X.cols());
                 shard.points.gather(which, U);
                 normalise(U);
                 Y = U.middleRows(first, count).transpose();
                 for (std::size_t j = 0; j < which.size(); ++j)
                   for (Index l = 0; l < bits(); ++l)
                     X(l, static_cast<Index>(j)) = shard.Z.get(which[j], l) ? 1.0F : 0.0F;
               });
  }

  // Bytes and bits are whole numbers, and so are their sums: exact in double, so that byte data
  // give the same decoder in whatever order, on however many machines.
  void gather_statistics(SubmodelRange range, const BinaryShard& shard, const Visit& visit) {
    const auto [first_output, m] = local(range);
    LeastSquares sums(statistics(range), bits(), m);
    if (visit.first()) sums.clear();
    Eigen::MatrixXf X;
    Eigen::MatrixXd Z;
    for (Index first = 0; first < shard.size(); first += block_points) {
      visit.progress();
      const Index B = std::min(block_points, shard.size() - first);
      X.resize(features(), B);
      shard.points.load(first, X);
      Z.resize(bits(), B);
      for (Index j = 0; j < B; ++j)
        for (Index l = 0; l < bits(); ++l) Z(l, j) = shard.Z.get(first + j, l) ? 1.0 : 0.0;
      sums.accumulate(Z, X.middleRows(first_output, m).cast<double>());
    }
  }

  BinaryAutoencoderSettings settings_;
  Eigen::VectorXf centre_;
  float scale_ = 1;
  Eigen::MatrixXf encoder_;
  Eigen::MatrixXf decoder_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> statistics_; // by range
};
static_assert(Submodels<BinaryAutoencoder> && FlatSubmodels<BinaryAutoencoder>);

} // namespace parmac
