// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "parmac/core/submodel_range.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// What travels: a range of submodels, and the machine where it starts.
struct Baton {
  SubmodelRange range;
  int origin = 0;
};

/// Cuts a model into batons. Every kind is cut into at most `machines * batons_per_machine`
/// contiguous ranges of nearly equal work, and each starts at the machine that has the least work
/// so far, the lowest of several; so batons of equal work go round the ring, and kinds of few heavy
/// submodels leave no machine behind by more than the heaviest baton. With fewer submodels than
/// machines some machines start with none.
/// @param kinds consecutive ranges that cover all M submodels.
/// @param cost relative work of a range, additive; empty: its number of submodels.
/// @throws ConfigError when the kinds leave gaps, or the numbers are below 1, or a cost is not
/// positive and finite.
[[nodiscard]] inline std::vector<Baton>
cut_batons(std::span<const SubmodelRange> kinds, std::size_t submodels, int machines,
           int batons_per_machine = 1, const std::function<double(SubmodelRange)>& cost = {}) {
  require(machines >= 1 && batons_per_machine >= 1, "batons for ", machines, " machines, ",
          batons_per_machine, " on each, cannot be cut; both must be at least 1");
  std::vector<Baton> batons;
  std::vector<double> load(static_cast<std::size_t>(machines), 0.0);
  std::size_t covered = 0;
  for (const SubmodelRange& kind : kinds) {
    require(kind.first == covered && kind.last >= kind.first,
            "the kinds of submodels must follow "
            "each other without gaps: one ends at ",
            covered, ", the next is [", kind.first, ", ", kind.last, ")");
    covered = kind.last;
    const std::size_t parts =
        std::min(kind.size(),
                 static_cast<std::size_t>(machines) * static_cast<std::size_t>(batons_per_machine));
    // Work done before each submodel; the cuts lie where it passes a multiple of an equal share.
    std::vector<double> work(kind.size() + 1, 0.0);
    for (std::size_t i = 0; i < kind.size(); ++i) {
      const double one = cost ? cost({kind.first + i, kind.first + i + 1}) : 1.0;
      require(one > 0 && std::isfinite(one), "submodel ", kind.first + i, " has cost ", one,
              "; costs must be positive and finite");
      work[i + 1] = work[i] + one;
    }
    std::size_t begin = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      const double target =
          work.back() * static_cast<double>(part + 1) / static_cast<double>(parts);
      std::size_t end = begin + 1; // no empty baton, and one submodel left for each to come
      const std::size_t limit = kind.size() - (parts - part - 1);
      while (end < limit && (part + 1 == parts || work[end] + work[end + 1] <= 2 * target)) ++end;
      const auto origin = std::min_element(load.begin(), load.end());
      *origin += work[end] - work[begin];
      batons.push_back(
          {{kind.first + begin, kind.first + end}, static_cast<int>(origin - load.begin())});
      begin = end;
    }
  }
  require(covered == submodels, "the kinds cover ", covered, " submodels of ", submodels);
  return batons;
}

} // namespace parmac
