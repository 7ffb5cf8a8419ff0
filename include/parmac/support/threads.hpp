// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// Runs `work(first, last)` over 0 .. n-1 cut into `threads` contiguous parts of nearly equal size,
/// the first part on the calling thread. Returns when all parts are done; the exception of the
/// lowest part that threw, if any, goes to the caller. Parts must not write what others read.
/// @throws ConfigError unless threads >= 1.
template <class Work>
void parallel_for(Index n, int threads, Work&& work) {
  require(threads >= 1, "the number of threads is ", threads, "; it must be at least 1");
  const Index parts = std::max<Index>(1, std::min<Index>(threads, n));
  if (parts == 1) {
    if (n > 0) work(Index{0}, n);
    return;
  }
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(parts));
  const auto run = [&](Index part) {
    try {
      work(n * part / parts, n * (part + 1) / parts);
    } catch (...) {
      failures[static_cast<std::size_t>(part)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(parts - 1));
    for (Index part = 1; part < parts; ++part) others.emplace_back(run, part);
    run(0);
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

} // namespace parmac
