// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <span>

#include "parmac/core/submodel_update.hpp"
#include "parmac/core/visit.hpp"
#include "parmac/solvers/minibatches.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// Step sizes eta(t) = eta0 / (1 + lambda eta0 t), t being the number of updates already done
/// (Bottou) and lambda the decay of what is trained. With lambda = 0 they stay at eta0.
struct StepSchedule {
  double eta0 = 0.1;
  Index updates = 0; ///< t of the next update

  /// The step size of the next update.
  [[nodiscard]] double current(double lambda) const {
    return eta0 / (1.0 + lambda * eta0 * static_cast<double>(updates));
  }
};

/// The schedule of a visit: it goes on where the W step's earlier visits, and the earlier W steps,
/// left off, so that step sizes need no state that travels.
[[nodiscard]] inline StepSchedule step_schedule(double eta0, const Visit& visit, Index minibatch) {
  return {eta0, static_cast<Index>(visit.points_before + visit.points_seen) / minibatch};
}

/// One pass of stochastic gradient descent over the points 0 .. N-1, in the order of
/// `for_each_minibatch`, for all submodels of W at once: `step(points, step_size)` makes an update
/// of W from a Minibatch. Returns the schedule as the next pass must continue it.
/// @param decay lambda in the step sizes.
/// @throws NumericalError when the weights leave the range of finite numbers.
/// @throws ConfigError when eta0 is not finite or is negative, or a setting is out of range.
template <class Step>
StepSchedule descend(const Eigen::Ref<const Eigen::MatrixXf>& W, StepSchedule schedule,
                     double decay, Index N, const MinibatchSettings& settings, RandomStream& stream,
                     Step&& step) {
  require(schedule.eta0 >= 0 && schedule.eta0 < 1e30, "the first step size is ", schedule.eta0,
          "; it must be a finite number that is not negative");
  for_each_minibatch(N, settings, stream, [&](const Minibatch& points) {
    step(points, static_cast<float>(schedule.current(decay)));
    ++schedule.updates;
  });
  require<NumericalError>(W.allFinite(), "after ", schedule.updates,
                          " updates the weights are no longer finite; the first step size was ",
                          schedule.eta0, ", a smaller one may help");
  return schedule;
}

/// The same with a SubmodelUpdate; W is (D + 1) x m. `fill(points, X, Y)` brings a Minibatch:
/// column j of X (D x B) is point points[j], row j of Y (B x m) its targets. It is given the same
/// two matrices every time, smaller for a short last minibatch.
/// @throws NumericalError, ConfigError likewise.
template <SubmodelUpdate U, class Fill>
StepSchedule train_pass(const U& update, Eigen::Ref<Eigen::MatrixXf> W, StepSchedule schedule,
                        Index N, const MinibatchSettings& settings, RandomStream& stream,
                        Fill&& fill) {
  require<ShapeError>(W.rows() >= 1, "the weights have no row for the bias");
  Eigen::MatrixXf X;
  Eigen::MatrixXf Y;
  return descend(W, schedule, update.decay(), N, settings, stream,
                 [&](const Minibatch& points, float step_size) {
                   const auto B = static_cast<Index>(points.size());
                   X.resize(W.rows() - 1, B);
                   Y.resize(B, W.cols());
                   fill(points, X, Y);
                   update.step(W, X, Y, step_size);
                 });
}

} // namespace parmac
