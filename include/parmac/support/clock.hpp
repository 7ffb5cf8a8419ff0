// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>

namespace parmac {

/// Seconds of wall time since its construction, or since the last `restart()`.
class Stopwatch {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace parmac
