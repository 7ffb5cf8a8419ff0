// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parmac/support/check.hpp"

namespace parmac {

/// What a run is made of, known before its first iteration.
struct RunInfo {
  int rank = 0;
  int machines = 1;
  std::vector<std::uint64_t> points = {}; ///< N_p, the points on each machine.
  std::uint64_t submodels = 0;            ///< M
  std::uint64_t batons = 0;               ///< Ranges that travel.
  std::uint64_t idle_machines = 0;        ///< Machines that start a W step without a baton (M < P).
  int epochs = 1;

  [[nodiscard]] std::uint64_t total_points() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : points) sum += n;
    return sum;
  }
};

/// How one machine spent an iteration.
struct MachineReport {
  double w_seconds = 0;            ///< The whole W step, waiting included.
  double z_seconds = 0;            ///< The Z step.
  double wait_seconds = 0;         ///< Of the W step, without a baton to train.
  std::uint64_t bytes_sent = 0;    ///< Payload in the W step.
  std::uint64_t messages_sent = 0; ///< In the W step; each has a header of its own.
  std::uint64_t passes = 0;        ///< Submodels trained on this shard, times passes.
};

/// One iteration, summed over all machines; the same on every machine but for `rank`.
struct IterationReport {
  int rank = 0;
  int iteration = 0;
  double mu = 0;
  double before = 0;    ///< E_Q after the W step, before the Z step.
  double objective = 0; ///< E_Q after the Z step.
  double nested = 0;    ///< The nested model's objective.
  double violation = 0; ///< Constraint violation.
  double changed = 0;   ///< Points whose coordinates the Z step changed.
  double points = 0;    ///< N, all machines.
  double seconds = 0;   ///< Since the run began, by the first machine's clock.
  std::vector<MachineReport> machines;

  [[nodiscard]] std::uint64_t bytes_sent() const {
    std::uint64_t sum = 0;
    for (const auto& machine : machines) sum += machine.bytes_sent;
    return sum;
  }
  [[nodiscard]] std::uint64_t messages_sent() const {
    std::uint64_t sum = 0;
    for (const auto& machine : machines) sum += machine.messages_sent;
    return sum;
  }
};

/// A whole run.
struct Report {
  RunInfo info;
  std::vector<IterationReport> iterations;
  std::string stop_reason;
  double final_nested = 0; ///< The nested objective after the final fit; NaN where none was made.
  double seconds = 0;

  /// One line: iterations, objective, reason, seconds.
  [[nodiscard]] std::string brief() const {
    const std::string last = iterations.empty()
                                 ? ""
                                 : parmac::text(", objective ", iterations.back().objective,
                                                ", violation ", iterations.back().violation);
    return parmac::text(iterations.size(), " iterations on ", info.machines, " machines", last,
                        ", ", seconds, " s: ", stop_reason);
  }
};

/// Somebody has waited long.
struct StallReport {
  int rank = 0;
  double seconds = 0;
  std::string waiting_for;

  [[nodiscard]] std::string text() const {
    return parmac::text("rank ", rank, " has waited ", seconds, " s for ", waiting_for);
  }
};

} // namespace parmac
