// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>
#include <ostream>
#include <string>

#include "parmac/core/observer.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// One line an iteration from rank 0, each written at once, so that lines of several ranks never
/// mix. Objectives are means over the points.
class ProgressLine {
public:
  explicit ProgressLine(std::ostream& out) : out_(out) {}

  void on_start(const RunInfo& info) {
    if (info.rank != 0) return;
    say(text(info.machines, info.machines == 1 ? " machine, " : " machines, ", info.total_points(),
             " points, ", info.submodels, " submodels in ", info.batons, " batons, ", info.epochs,
             info.epochs == 1 ? " epoch" : " epochs", " an iteration"));
    if (info.idle_machines > 0)
      say(text("note: ", info.idle_machines, " machines start without a submodel"));
  }

  void on_iteration(const IterationReport& iteration) {
    if (iteration.rank != 0) return;
    double w = 0, z = 0, wait = 0;
    for (const MachineReport& machine : iteration.machines) {
      w = std::max(w, machine.w_seconds);
      z = std::max(z, machine.z_seconds);
      wait = std::max(wait, machine.wait_seconds);
    }
    const double n = iteration.points;
    char line[256];
    std::snprintf(line, sizeof line,
                  "iteration %3d  mu %-9.3g objective %-9.5f nested %-9.5f violation %-9.4f changed "
                  "%6.2f%%  W %.2f s (waited %.2f) Z %.2f s",
                  iteration.iteration, iteration.mu, iteration.objective / n, iteration.nested / n,
                  iteration.violation / n, 100 * iteration.changed / n, w, wait, z);
    say(line);
  }

private:
  void say(const std::string& line) { out_ << line + "\n" << std::flush; }

  std::ostream& out_;
};
static_assert(Observer<ProgressLine>);

} // namespace parmac
