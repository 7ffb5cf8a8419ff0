// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "parmac/models/binary_autoencoder/linear_hash.hpp"
#include "parmac/solvers/feature_map.hpp"
#include "parmac/solvers/step_size.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// Settings of hash functions that learn by stochastic gradient descent on the hinge loss.
struct HashSettings {
  double lambda = 1e-4;  ///< Regulariser, >= 0.
  double first_step = 0; ///< First step size; 0: found on a sample by the model's start.
  Index minibatch = 100; ///< Points an update, >= 1.
  Index chunk = 4096;    ///< Points that are shuffled together, >= 1.

  /// @throws ConfigError
  void validate() const {
    require(lambda >= 0 && std::isfinite(lambda), "lambda is ", lambda,
            "; it must be finite and not negative");
    require(first_step >= 0 && std::isfinite(first_step), "the first step size is ", first_step,
            "; it must be finite and not negative");
    require(minibatch >= 1 && chunk >= 1, "minibatches of ", minibatch, " points in chunks of ",
            chunk, "; both must be at least 1");
  }
};

/// Hash functions that see points through one feature map: linear SVMs on F features, some bits of
/// a code. With the features of radial basis functions they are kernel SVMs with fixed centres.
class MappedHash {
public:
  /// Zeros. @throws ConfigError unless there is at least one bit.
  MappedHash(FeatureMap map, Index bits, HashSettings settings = {})
      : map_(std::move(map)), settings_(settings) {
    require(bits >= 1, "hash functions for ", bits, " bits were asked for; at least 1 is needed");
    require(map_.inputs >= 1 && map_.outputs >= 1 && map_.map != nullptr,
            "a feature map needs inputs, outputs and a function");
    settings.validate();
    weights_.setZero(map_.outputs + 1, bits);
  }

  [[nodiscard]] const FeatureMap& map() const { return map_; }
  [[nodiscard]] Index bits() const { return weights_.cols(); }
  [[nodiscard]] HashSettings& settings() { return settings_; }
  [[nodiscard]] const HashSettings& settings() const { return settings_; }
  /// (F + 1) x bits, a bit a column, its bias last.
  [[nodiscard]] Eigen::MatrixXf& weights() { return weights_; }
  [[nodiscard]] const Eigen::MatrixXf& weights() const { return weights_; }

  /// The memory of the bits first .. first + count - 1.
  [[nodiscard]] std::span<float> parameters(Index first, Index count) {
    return {weights_.data() + first * weights_.rows(),
            static_cast<std::size_t>(count * weights_.rows())};
  }

  /// Scores (bits x B) of scaled points U (D x B); bit l is 1 where row l is above 0.
  void scores(const Eigen::MatrixXf& U, Eigen::MatrixXf& S) const {
    Eigen::MatrixXf X;
    map_.map(U, X);
    linear_hash_scores(weights_, X, S);
  }

  /// One pass of the bits first .. first + count - 1, which are code bits from `offset + first` on.
  /// @throws NumericalError
  void train(Index first, Index count, Index offset, const Points& points, const PackedCodes& Z,
             const Scaling& scaling, const Visit& visit) {
    Eigen::MatrixXf U;
    Eigen::MatrixXf mapped;
    train_linear_hash(weights_.middleCols(first, count), offset + first, Z, settings_.lambda,
                      settings_.first_step, {settings_.minibatch, settings_.chunk}, visit,
                      [&](const Minibatch& which, Eigen::Ref<Eigen::MatrixXf> X) {
                        U.resize(map_.inputs, X.cols());
                        scaling.gather(points, which, U);
                        map_.map(U, mapped);
                        X = mapped;
                      });
  }

  /// Sets the first step size, unless it is set, by Bottou's procedure on the first `sample` points
  /// of every machine, to the geometric mean of what the machines find; `all_sum` adds up a
  /// std::span<double> over all of them. @throws NumericalError @throws DataError without points.
  template <class AllSum>
  void find_first_step(Index offset, const Points& points, const PackedCodes& Z,
                       const Scaling& scaling, AllSum&& all_sum, Index sample = 1000) {
    const Index n = std::min(sample, points.size());
    double sums[2] = {0, 0};
    if (n > 0) {
      Eigen::MatrixXf U(map_.inputs, n);
      scaling.load(points, 0, U);
      Eigen::MatrixXf X;
      map_.map(U, X);
      std::vector<Index> which(static_cast<std::size_t>(n));
      std::iota(which.begin(), which.end(), Index{0});
      Eigen::MatrixXf signs(n, bits());
      Z.unpack(which, offset, -1.0F, 1.0F, signs);
      sums[0] = 1;
      sums[1] = std::log(find_step_size(HingeUpdate{.lambda = settings_.lambda}, weights_, X, signs,
                                        {.minibatch = settings_.minibatch}));
    }
    all_sum(std::span<double>(sums));
    require<DataError>(sums[0] > 0, "there are no points to find a step size on");
    if (settings_.first_step == 0) settings_.first_step = std::exp(sums[1] / sums[0]);
  }

private:
  FeatureMap map_;
  HashSettings settings_;
  Eigen::MatrixXf weights_;
};

} // namespace parmac
