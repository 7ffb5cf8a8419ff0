// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "parmac/data/points.hpp"
#include "parmac/solvers/minibatches.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/threads.hpp"

namespace parmac {

/// How points come into a model: u = (x - centre) / scale.
class Scaling {
public:
  /// Points that are read and worked on at a time.
  static constexpr Index block_points = 1024;

  /// u = x. @throws ConfigError unless D >= 1.
  explicit Scaling(Index features) : centre_(Eigen::VectorXf::Zero(std::max<Index>(features, 0))) {
    require(features >= 1, "the points have ", features, " features; they need at least 1");
  }

  [[nodiscard]] Index features() const { return centre_.size(); } ///< D
  [[nodiscard]] const Eigen::VectorXf& centre() const { return centre_; }
  [[nodiscard]] float scale() const { return scale_; }

  /// @throws ShapeError, ConfigError
  void set(Eigen::VectorXf centre, float scale) {
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
  /// The same, feature by feature; the map refers to this object's centre.
  [[nodiscard]] AffineMap map() const { return {centre_.data(), 1.0F / scale_}; }

  /// Makes column j of U (D x B) the scaled point first + j. @throws ShapeError as `Points::load`,
  /// and when the points have another dimension.
  void load(const Points& points, Index first, Eigen::Ref<Eigen::MatrixXf> U) const {
    require_dimension(points);
    points.load(first, U, map());
  }

  /// Makes column j of U (D x B) the scaled point which[j]. @throws ShapeError as
  /// `Points::gather`, and when the points have another dimension.
  void gather(const Points& points, const Minibatch& which, Eigen::Ref<Eigen::MatrixXf> U) const {
    require_dimension(points);
    points.gather(which, U, map(), which.next);
  }

  /// Calls `use(first, U)` with blocks of scaled points (D x B) in some order, from several
  /// threads; point j of U is point first + j.
  template <class Use>
  void for_each_block(const Points& points, int threads, Use&& use) const {
    const Index blocks = (points.size() + block_points - 1) / block_points;
    parallel_for(blocks, threads, [&](Index begin, Index end) {
      Eigen::MatrixXf U;
      for (Index block = begin; block < end; ++block) {
        const Index first = block * block_points;
        U.resize(features(), std::min(block_points, points.size() - first));
        load(points, first, U);
        use(first, std::as_const(U));
      }
    });
  }

  /// @throws ShapeError when the points have another dimension.
  void require_dimension(const Points& points) const {
    require<ShapeError>(points.dimension() == features(), points.source(), " has points of ",
                        points.dimension(), " features; the model has ", features());
  }

private:
  Eigen::VectorXf centre_;
  float scale_ = 1;
};

} // namespace parmac
