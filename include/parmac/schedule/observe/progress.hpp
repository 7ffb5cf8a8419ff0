// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <iomanip>
#include <locale>
#include <ostream>
#include <sstream>
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
    std::ostringstream line;
    line.imbue(std::locale::classic());
    const auto put = [&](const char* name, double value, int width, int digits) -> std::ostream& {
      return line << name << std::setw(width) << std::setprecision(digits) << value;
    };
    line << "iteration " << std::setw(3) << iteration.iteration << std::left;
    put("  mu ", iteration.mu, 9, 3) << std::fixed;
    put(" objective ", iteration.objective / n, 9, 5);
    put(" nested ", iteration.nested / n, 9, 5);
    put(" violation ", iteration.violation / n, 9, 4) << std::right;
    put(" changed ", 100 * iteration.changed / n, 6, 2);
    put("%  W ", w, 0, 2);
    put(" s (waited ", wait, 0, 2);
    put(") Z ", z, 0, 2) << " s";
    say(line.str());
  }

private:
  void say(const std::string& line) { out_ << line + "\n" << std::flush; }

  std::ostream& out_;
};
static_assert(Observer<ProgressLine>);

} // namespace parmac
