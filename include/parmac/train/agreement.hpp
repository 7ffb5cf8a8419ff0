// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parmac/core/topology.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// Refuses to go on when the machines do not say the same. @throws ConfigError on all machines,
/// with the first rank that differs and the first word in which it does.
template <Topology Machines>
void require_agreement(Machines& machines, const std::string& words) {
  const std::vector<std::string> all = machines.all_gather(words);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0]) {
      const auto word = [](const std::string& line, std::size_t at) {
        const std::size_t begin = at == 0 ? 0 : line.rfind(' ', at - 1) + 1; // npos + 1 is 0
        return line.substr(begin, line.find(' ', at) - begin);
      };
      const auto differ = static_cast<std::size_t>(
          std::mismatch(all[0].begin(), all[0].end(), all[rank].begin(), all[rank].end()).first -
          all[0].begin());
      throw ConfigError(text("the ranks do not agree: rank 0 has '", word(all[0], differ),
                             "', rank ", rank, " has '", word(all[rank], differ), "'"));
    }
}

/// Runs a part that each machine does by itself and that may fail, such as opening files, and lets
/// all machines know before anyone goes on. @returns what `part` returns.
/// @throws on the lowest rank that failed its own exception, on all others RemoteError.
template <Topology Machines, class Part>
auto together(Machines& machines, Part&& part) {
  using Result = decltype(part());
  std::exception_ptr failure;
  std::string words;
  const auto agree = [&] {
    const std::vector<std::string> all = machines.all_gather(words);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      if (!all[rank].empty()) {
        if (static_cast<int>(rank) == machines.rank()) std::rethrow_exception(failure);
        throw RemoteError(static_cast<int>(rank), all[rank]);
      }
  };
  const auto guarded = [&](auto&& run) {
    try {
      run();
    } catch (const RemoteError&) {
      throw; // known to all already
    } catch (const std::exception& error) {
      failure = std::current_exception();
      words = text("failed: ", error.what());
    }
  };
  if constexpr (std::is_void_v<Result>) {
    guarded([&] { part(); });
    agree();
  } else {
    std::optional<Result> result;
    guarded([&] { result.emplace(part()); });
    agree();
    return std::move(*result);
  }
}

} // namespace parmac
