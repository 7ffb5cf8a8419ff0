// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "parmac/core/submodel_update.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// How the first step size is looked for.
struct StepSizeSettings {
  Index minibatch = 100; ///< points of an update, at least 1; as in the training to come
  double first = 1.0;    ///< the first guess, from 1e-15 to 1e15
  int trials = 40;       ///< at most so many halvings or doublings, from 1 to 64
};

/// The step size eta0 that suits a sample of the points, by Bottou's procedure: a trial makes one
/// pass over the sample at constant eta from the given weights and takes the objective there;
/// starting from the first guess and its double, eta is halved, or doubled, while that lowers the
/// objective, and the smaller eta of the last pair is taken, to be on the safe side. An objective
/// that is not finite counts as worse than any other. All m submodels share the answer, and it
/// depends on all of them. W is (D + 1) x m, X is D x n, Y is n x m; the pass takes the sample in
/// the order given. Without points the answer is the first guess. Time: a few passes.
/// Source: L. Bottou, "Stochastic gradient descent tricks" (2012), and his SVM program.
/// @throws NumericalError when no trial ends with a finite objective.
/// @throws ShapeError @throws ConfigError
template <SubmodelUpdate U>
[[nodiscard]] double find_step_size(const U& update, const Eigen::Ref<const Eigen::MatrixXf>& W,
                                    const Eigen::Ref<const Eigen::MatrixXf>& X,
                                    const Eigen::Ref<const Eigen::MatrixXf>& Y,
                                    const StepSizeSettings& settings = {}) {
  require(settings.minibatch >= 1, "the minibatch size is ", settings.minibatch,
          "; it must be at least 1");
  require(settings.first >= 1e-15 && settings.first <= 1e15, "the first step size to try is ",
          settings.first, "; it must be from 1e-15 to 1e15");
  require(settings.trials >= 1 && settings.trials <= 64, "the number of trials is ",
          settings.trials, "; it must be from 1 to 64");
  const Index n = X.cols();
  require<ShapeError>(Y.rows() == n, "targets of ", Y.rows(), " points for a sample of ", n);
  if (n == 0) return settings.first;

  Eigen::MatrixXf trial;
  const auto cost = [&](double eta) {
    trial = W;
    for (Index first = 0; first < n; first += settings.minibatch) {
      const Index B = std::min(settings.minibatch, n - first);
      update.step(trial, X.middleCols(first, B), Y.middleRows(first, B), static_cast<float>(eta));
    }
    const double found =
        trial.allFinite() ? update.objective(trial, X, Y) : std::numeric_limits<double>::infinity();
    return std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
  };

  double low = settings.first;
  double low_cost = cost(low);
  double high_cost = cost(2 * low);
  const auto smaller_is_better = [&] { return low_cost < high_cost || !std::isfinite(low_cost); };
  if (smaller_is_better()) {
    for (int t = 0; t < settings.trials && smaller_is_better(); ++t) {
      low /= 2;
      high_cost = low_cost;
      low_cost = cost(low);
    }
  } else {
    for (int t = 0; t < settings.trials && high_cost < low_cost; ++t) {
      low *= 2;
      low_cost = high_cost;
      high_cost = cost(2 * low);
    }
  }
  require<NumericalError>(std::isfinite(std::min(low_cost, high_cost)), "no step size from ",
                          settings.first, " down to ", low, " keeps the objective finite on the ",
                          n, " points of the sample; are the points or the weights finite?");
  return low;
}

} // namespace parmac
