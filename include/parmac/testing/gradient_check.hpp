// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "parmac/support/check.hpp"

namespace parmac::testing {

/// Compares a gradient with central finite differences (f(x + h e_i) - f(x - h e_i)) / 2h, where
/// h = step max(1, |x_i|). 2n calls of f.
/// @param f a scalar function of std::span<const double>, differentiable near x.
/// @param gradient what is claimed to be its gradient at x.
/// @param step near the cube root of the machine precision, at which the truncation error, of order
/// h^2, and the rounding error, of order 1/h, are alike.
/// @returns the largest |claimed - measured| / max(1, |claimed|, |measured|) over the n components;
/// infinity where one is not finite. About 1e-8 for a right gradient of a function of size 1.
/// @throws ShapeError when x and the gradient differ in size; ConfigError unless step > 0.
template <class F>
[[nodiscard]] double gradient_check(F&& f, std::span<const double> x,
                                    std::span<const double> gradient, double step = 6e-6) {
  require<ShapeError>(x.size() == gradient.size(), "the gradient has ", gradient.size(),
                      " components where x has ", x.size());
  require(step > 0 && std::isfinite(step), "the step is ", step,
          "; it must be positive and finite");
  std::vector<double> at(x.begin(), x.end());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double h = step * std::max(1.0, std::abs(x[i]));
    const double above = x[i] + h;
    const double below = x[i] - h;
    at[i] = above;
    const double up = f(std::span<const double>(at));
    at[i] = below;
    const double down = f(std::span<const double>(at));
    at[i] = x[i];
    const double measured = (up - down) / (above - below); // the h that was really taken
    const double error = std::abs(gradient[i] - measured) /
                         std::max({1.0, std::abs(gradient[i]), std::abs(measured)});
    if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, error);
  }
  return worst;
}

} // namespace parmac::testing
