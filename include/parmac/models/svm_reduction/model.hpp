// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/data/points.hpp"
#include "parmac/solvers/feature_map.hpp"
#include "parmac/solvers/hinge.hpp"
#include "parmac/solvers/ridge_layer.hpp"
#include "parmac/solvers/sgd.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// One machine's points, their classes, and their low-dimensional coordinates.
struct ReductionShard {
  /// @throws ShapeError unless there is a label for every point.
  ReductionShard(Points x, std::vector<std::uint8_t> classes, Index dimensions)
      : points(std::move(x)), labels(std::move(classes)), Z(dimensions, points.size()) {
    require<ShapeError>(static_cast<Index>(labels.size()) == points.size(), points.source(),
                        " has ", points.size(), " points for ", labels.size(), " labels");
    Z.setZero();
  }

  [[nodiscard]] Index size() const { return points.size(); }

  Points points; ///< X, D x N_p
  std::vector<std::uint8_t> labels;
  Eigen::MatrixXf Z; ///< L x N_p
};

/// Settings of dimension reduction with SVMs.
struct ReductionSettings {
  double C = 1;          ///< Weight of the hinge loss beside the penalty, > 0.
  double ridge = 1e-4;   ///< Of the mapping, beside the mean over the points, >= 0.
  double lambda = 1e-4;  ///< Of the SVMs, beside the mean over the points, >= 0.
  double first_step = 0; ///< Of the SVMs; 0: found on a sample by `start`.
  Index minibatch = 20;
  Index chunk = 4096;

  /// @throws ConfigError
  void validate() const {
    require(C > 0 && std::isfinite(C), "C is ", C, "; it must be positive");
    require(ridge >= 0 && lambda >= 0 && first_step >= 0 &&
                std::isfinite(ridge + lambda + first_step),
            "ridge, lambda and first_step are ", ridge, ", ", lambda, " and ", first_step,
            "; they must be finite and not negative");
    require(minibatch >= 1 && chunk >= 1, "minibatches of ", minibatch, " points in chunks of ",
            chunk, "; both must be at least 1");
  }
};

/// Dimension reduction trained jointly with linear SVMs: z = F(x) = A phi(x) + c in L dimensions,
/// phi a fixed feature map, and one linear SVM a class on z, one against all; of two classes, one
/// alone. The nested objective is the sum over points and SVMs of C max(0, 1 - y (w'F(x) + b)).
/// Submodels 0 .. L-1 are the outputs of F, by exact ridge regression whose statistics ride the
/// ring; the others are the SVMs, by stochastic gradient descent. Models Submodels.
/// Source: Wang and Carreira-Perpinan, "The role of dimensionality reduction in classification"
/// (AAAI 2014).
class SvmReduction {
public:
  using shard_type = ReductionShard;

  /// Zeros. @throws ConfigError unless there are at least one dimension and two classes.
  SvmReduction(FeatureMap map, Index dimensions, Index classes, ReductionSettings settings = {})
      : settings_(settings),
        map_(std::move(map)),
        classes_(classes),
        mapping_(map_.outputs, dimensions) {
    require(map_.inputs >= 1 && map_.outputs >= 1 && map_.map != nullptr,
            "a feature map needs inputs, outputs and a function");
    require(classes >= 2 && classes <= 256, classes, " classes; there must be 2 to 256");
    settings.validate();
    svms_.setZero(dimensions + 1, classes == 2 ? 1 : classes);
  }

  [[nodiscard]] Index dimensions() const { return mapping_.outputs(); } ///< L
  [[nodiscard]] Index classes() const { return classes_; }
  [[nodiscard]] const ReductionSettings& settings() const { return settings_; }
  [[nodiscard]] ReductionSettings& settings() { return settings_; }
  /// (F + 1) x L: a dimension a column, its constant last.
  [[nodiscard]] const Eigen::MatrixXf& mapping() const { return mapping_.weights(); }
  /// (L + 1) x SVMs: an SVM a column, its bias last.
  [[nodiscard]] const Eigen::MatrixXf& svms() const { return svms_; }
  [[nodiscard]] Eigen::MatrixXf& svms() { return svms_; }

  /// +1 or -1: what SVM k wants of a point of this class.
  [[nodiscard]] float wanted(Index k, std::uint8_t label) const {
    return (classes_ == 2 ? label == 1 : label == k) ? 1.0F : -1.0F;
  }

  /// F(x) of points X (D x B): L x B. Column j depends on point j alone.
  [[nodiscard]] Eigen::MatrixXf reduce(const Eigen::MatrixXf& X) const {
    Eigen::MatrixXf phi;
    map_.map(X, phi);
    return mapping_(phi);
  }

  /// The class of each point of coordinates Z (L x B): the SVM with the highest score, the first of
  /// several; of two classes the sign.
  [[nodiscard]] std::vector<std::uint8_t> classify(const Eigen::MatrixXf& Z) const {
    const Eigen::MatrixXf S = (svms_.topRows(dimensions()).transpose() * Z).colwise() +
                              svms_.row(dimensions()).transpose();
    std::vector<std::uint8_t> classes;
    for (Index j = 0; j < S.cols(); ++j) {
      Index best = 0;
      if (classes_ == 2)
        best = S(0, j) > 0 ? 1 : 0;
      else
        S.col(j).maxCoeff(&best);
      classes.push_back(static_cast<std::uint8_t>(best));
    }
    return classes;
  }

  /// @throws ShapeError, and DataError for a class that is none.
  void require_matching(const ReductionShard& shard) const {
    require<ShapeError>(shard.points.dimension() == map_.inputs, shard.points.source(),
                        " has points of ", shard.points.dimension(), " features; the model has ",
                        map_.inputs);
    require<ShapeError>(shard.Z.rows() == dimensions() && shard.Z.cols() == shard.size(),
                        "coordinates of ", shard.Z.rows(), " x ", shard.Z.cols(), " for ",
                        shard.size(), " points in ", dimensions(), " dimensions");
    for (std::size_t n = 0; n < shard.labels.size(); ++n)
      require<DataError>(shard.labels[n] < classes_, "point ", n, " of ", shard.points.source(),
                         " has class ", int{shard.labels[n]}, "; the model tells ", classes_);
  }

  // As Submodels asks for.
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(dimensions() + svms_.cols());
  }
  [[nodiscard]] std::vector<SubmodelRange> kinds() const {
    return {{0, static_cast<std::size_t>(dimensions())}, output_layer()};
  }
  [[nodiscard]] SubmodelRange output_layer() const {
    return {static_cast<std::size_t>(dimensions()), size()};
  }
  [[nodiscard]] int epochs(SubmodelRange range, int asked) const {
    return is_mapping(range) ? 1 : asked;
  }
  [[nodiscard]] std::span<float> parameters(SubmodelRange range) {
    const Index first = local(range);
    const auto count = static_cast<Index>(range.size());
    if (is_mapping(range)) return mapping_.parameters(first, count);
    return {svms_.data() + first * svms_.rows(), static_cast<std::size_t>(count * svms_.rows())};
  }
  [[nodiscard]] std::span<double> statistics(SubmodelRange range) {
    if (!is_mapping(range)) return {};
    return mapping_.statistics(local(range), static_cast<Index>(range.size()));
  }

  /// One pass over the shard. @throws ShapeError, DataError, NumericalError
  void train(SubmodelRange range, const ReductionShard& shard, const Visit& visit) {
    require_matching(shard);
    const Index first = local(range);
    const auto count = static_cast<Index>(range.size());
    if (is_mapping(range)) {
      gather(first, count, shard, visit);
      return;
    }
    RandomStream stream = visit.stream();
    train_pass(HingeUpdate{.lambda = settings_.lambda}, svms_.middleCols(first, count),
               step_schedule(settings_.first_step, visit, settings_.minibatch), shard.size(),
               {settings_.minibatch, settings_.chunk}, stream,
               [&](std::span<const Index> which, Eigen::MatrixXf& X, Eigen::MatrixXf& Y) {
                 visit.progress();
                 for (std::size_t j = 0; j < which.size(); ++j) {
                   X.col(static_cast<Index>(j)) = shard.Z.col(which[j]);
                   for (Index k = 0; k < count; ++k)
                     Y(static_cast<Index>(j), k) =
                         wanted(first + k, shard.labels[static_cast<std::size_t>(which[j])]);
                 }
               });
  }

  /// Solves for the mapping.
  void finish(SubmodelRange range) {
    if (is_mapping(range))
      mapping_.solve(local(range), static_cast<Index>(range.size()), settings_.ridge);
  }

private:
  [[nodiscard]] bool is_mapping(SubmodelRange range) const {
    return range.first < static_cast<std::size_t>(dimensions());
  }
  [[nodiscard]] Index local(SubmodelRange range) const {
    const auto first = static_cast<Index>(range.first);
    return is_mapping(range) ? first : first - dimensions();
  }

  void gather(Index first, Index count, const ReductionShard& shard, const Visit& visit) {
    if (visit.first()) mapping_.forget(first, count);
    constexpr Index block = 1024;
    Eigen::MatrixXf X, phi;
    for (Index n = 0; n < shard.size(); n += block) {
      visit.progress();
      X.resize(map_.inputs, std::min(block, shard.size() - n));
      shard.points.load(n, X);
      map_.map(X, phi);
      mapping_.gather(first, count, phi, shard.Z.block(first, n, count, X.cols()));
    }
  }

  ReductionSettings settings_;
  FeatureMap map_;
  Index classes_;
  RidgeLayer mapping_;
  Eigen::MatrixXf svms_;
};
static_assert(Submodels<SvmReduction> && FlatSubmodels<SvmReduction>);

} // namespace parmac
