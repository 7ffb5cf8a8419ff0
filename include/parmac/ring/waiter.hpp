// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "parmac/core/topology.hpp"
#include "parmac/support/clock.hpp"
#include "parmac/support/error.hpp"

namespace parmac {

/// Waits without burning the processor for long, and never silently for ever: after a while it
/// reports who waits for what, and where asked gives up.
class Waiter {
public:
  Waiter(const Patience& patience, int rank) : patience_(patience), rank_(rank) {}

  /// One short rest; longer ones as the wait goes on, up to half a millisecond.
  /// @param describe called when a report is due; says what is waited for, and from whom.
  /// @throws StallError after `patience.stop_after` seconds.
  template <class Describe>
  void rest(Describe&& describe) {
    if (++rests_ <= 32) {
      std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(pause_us_));
    pause_us_ = std::min(2 * pause_us_, 500);
    const double waited = clock_.seconds();
    if (patience_.report_after > 0 && waited >= patience_.report_after * (reports_ + 1)) {
      ++reports_;
      const StallReport report{rank_, waited, describe()};
      if (patience_.on_stall)
        patience_.on_stall(report);
      else
        std::cerr << "parmac: " + report.text() + "\n" << std::flush;
    }
    if (patience_.stop_after > 0 && waited >= patience_.stop_after)
      throw StallError(StallReport{rank_, waited, describe()}.text() + "; the limit is " +
                       text(patience_.stop_after) + " s");
  }

  /// Something came: the next wait starts anew.
  void reset() {
    rests_ = 0;
    reports_ = 0;
    pause_us_ = 10;
    clock_.restart();
  }

private:
  const Patience& patience_;
  int rank_;
  int rests_ = 0;
  int reports_ = 0;
  int pause_us_ = 10;
  Stopwatch clock_;
};

} // namespace parmac
