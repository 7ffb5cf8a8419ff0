// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "parmac/ring/threads/thread_ring.hpp"

namespace parmac::tests {

/// Runs `machine(ThreadRing&)` on P threads of which some fail, and says how each ended.
/// @param ended called on its thread when a machine has ended.
template <class Machine>
std::vector<Outcome> thread_outcomes(int machines, Machine&& machine, Patience patience = {},
                                     const std::function<void(const Outcome&)>& ended = {}) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(machines));
  try {
    run_threads(
        machines,
        [&](ThreadRing& ring) {
          std::exception_ptr failure;
          Outcome& outcome = outcomes[static_cast<std::size_t>(ring.rank())];
          outcome = outcome_of([&] {
            try {
              machine(ring);
            } catch (...) {
              failure = std::current_exception();
              throw;
            }
          });
          if (ended) ended(outcome);
          if (failure) std::rethrow_exception(failure); // so that the others learn of it
        },
        std::move(patience));
  } catch (const std::exception&) {
    // Told by the outcomes.
  }
  return outcomes;
}

} // namespace parmac::tests
