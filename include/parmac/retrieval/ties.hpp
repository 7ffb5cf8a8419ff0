// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace parmac {

/// How rows at the same Hamming distance from a query are ranked. Codes of few bits tie often, so a
/// number without its tie rule says little.
enum class Ties {
  by_row,     ///< the lower row number first, as a search returns them; depends on the base's order
  optimistic, ///< in the query's favour: the rows that count come first; an upper bound
  expected    ///< the mean over all orders of the tied rows, each being as likely
};

} // namespace parmac
