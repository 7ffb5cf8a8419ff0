// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "parmac/core/report.hpp"
#include "parmac/core/transport.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// How long a machine waits before it says so, and before it gives up.
struct Patience {
  /// Seconds of waiting after which `on_stall` is called, and again after as long; 0: never.
  double report_after = 60;
  /// Seconds after which StallError is thrown; 0: never.
  double stop_after = 0;
  /// Empty: one line on std::cerr.
  std::function<void(const StallReport&)> on_stall = {};

  /// @throws ConfigError when a time is negative or no number.
  void validate() const {
    require(report_after >= 0 && stop_after >= 0, "waiting is reported after ", report_after,
            " s and ends after ", stop_after, " s; neither may be negative, and 0 means never");
  }
};

namespace detail {
template <class T>
concept HasReceive = requires(T& topology, MessageKind kind, std::uint32_t step, ProbePlace place) {
  { topology.receive(kind, step, place) } -> std::same_as<std::optional<Arrival>>;
};
template <class T>
concept HasNextStep = requires(T& topology) {
  { topology.next_step() } -> std::convertible_to<std::uint32_t>;
};
template <class T>
concept HasCollectives = requires(T& topology, std::span<double> values, const std::string& words) {
  topology.all_sum(values);
  { topology.all_gather(words) } -> std::convertible_to<std::vector<std::string>>;
};
template <class T>
concept HasFail = requires(T& topology, const std::string& words) {
  topology.fail(words);
  topology.abandon();
};
template <class T>
concept HasPatience = requires(const T& topology) {
  { topology.patience() } -> std::same_as<const Patience&>; // whoever waits refers to it
};
} // namespace detail

/// The machines and how they talk; models are `SerialRing`, `ThreadRing`, `MpiRing`.
/// Beyond what a Transport has, it keeps apart the messages of different operations
/// (`next_step()` counts them, `receive` takes those of one), sums and gathers over all machines
/// with the same result, bit for bit, on each (`all_sum`, `all_gather`), tells all of a failure
/// (`fail`; `abandon` lets go of the caller's memory), and says how long to wait (`patience`).
template <class T>
concept Topology = detail::HasRankAndSize<T> && detail::HasSend<T> && detail::HasSettle<T> &&
    detail::HasReceive<T> && detail::HasNextStep<T> && detail::HasCollectives<T> &&
    detail::HasFail<T> && detail::HasPatience<T>;

/// Refuses a type that is no Topology with one sentence a missing piece.
template <class T>
consteval bool check_topology() {
  static_assert(
      detail::HasRankAndSize<T> && detail::HasSend<T> && detail::HasSettle<T>,
      "parmac: a Topology needs rank(), size(), send(...) and settled(...), as a Transport "
      "has them; take parmac::SerialRing, ThreadRing or MpiRing, or see "
      "docs/howto/transports.md");
  static_assert(detail::HasReceive<T> && detail::HasNextStep<T>,
                "parmac: a Topology needs next_step() and receive(kind, step, place); take "
                "parmac::Ring<YourTransport>, or see docs/howto/transports.md");
  static_assert(detail::HasCollectives<T>,
                "parmac: a Topology needs all_sum(std::span<double>) and all_gather(std::string); "
                "take parmac::Ring<YourTransport>, or see docs/howto/transports.md");
  static_assert(
      detail::HasFail<T> && detail::HasPatience<T>,
      "parmac: a Topology needs fail(std::string), abandon() and const Patience& "
      "patience() const; take parmac::Ring<YourTransport>, or see docs/howto/transports.md");
  return true;
}

} // namespace parmac
