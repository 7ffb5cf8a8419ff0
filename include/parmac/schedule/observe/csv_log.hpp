// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "parmac/core/observer.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/output_file.hpp"

namespace parmac {

/// Writes the log of a run as CSV from rank 0: a line an iteration and machine, with the sums over
/// all machines repeated on each. The file appears under its name when the run ends.
class CsvLog {
public:
  explicit CsvLog(std::filesystem::path path) : path_(std::move(path)) {}

  void on_start(const RunInfo& info) {
    if (info.rank != 0) return;
    file_.emplace(path_);
    file_->write(
        "iteration,mu,points,before,objective,nested,violation,changed,seconds,machine,"
        "machine_points,w_seconds,z_seconds,wait_seconds,bytes_sent,messages_sent,passes\n");
    info_ = info;
  }

  void on_iteration(const IterationReport& i) {
    if (i.rank != 0) return;
    for (std::size_t m = 0; m < i.machines.size(); ++m) {
      const MachineReport& machine = i.machines[m];
      file_->write(number(i.iteration, ',', i.mu, ',', i.points, ',', i.before, ',', i.objective,
                          ',', i.nested, ',', i.violation, ',', i.changed, ',', i.seconds, ',', m,
                          ',', info_.points[m], ',', machine.w_seconds, ',', machine.z_seconds, ',',
                          machine.wait_seconds, ',', machine.bytes_sent, ',', machine.messages_sent,
                          ',', machine.passes, '\n'));
    }
  }

  void on_finish(const Report& report) {
    if (report.info.rank == 0) file_->commit();
  }

private:
  template <class... Parts>
  static std::string number(const Parts&... parts) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(17);
    (out << ... << parts);
    return out.str();
  }

  std::filesystem::path path_;
  std::optional<OutputFile> file_;
  RunInfo info_;
};
static_assert(Observer<CsvLog>);

} // namespace parmac
