// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace parmac {

/// The submodels first .. last-1 of a model. A range never crosses from one kind to another.
struct SubmodelRange {
  std::size_t first = 0;
  std::size_t last = 0;

  [[nodiscard]] constexpr std::size_t size() const { return last - first; }
  friend constexpr bool operator==(const SubmodelRange&, const SubmodelRange&) = default;
};

} // namespace parmac
