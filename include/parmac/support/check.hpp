// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <locale>
#include <sstream>
#include <string>

#include "parmac/support/error.hpp"

namespace parmac {

/// Strings its arguments together, numbers in the classic locale.
template <class... Parts>
[[nodiscard]] std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

/// Throws `E` with the given parts as its message unless `good` holds. The parts are strung
/// together only when they are needed.
template <class E = ConfigError, class... Parts>
void require(bool good, const Parts&... parts) {
  if (!good) throw E(text(parts...));
}

} // namespace parmac
