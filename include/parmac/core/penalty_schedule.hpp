// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>

namespace parmac {

namespace detail {
template <class P>
concept GivesPenalty = requires(const P& schedule, int iteration) {
  { schedule(iteration) } -> std::convertible_to<double>;
};
} // namespace detail

/// The penalty mu of every iteration: `schedule(iteration)`, iterations counted from 0.
/// Laws: positive, finite, never falling; the trainer refuses a value that breaks them.
template <class P>
concept PenaltySchedule = detail::GivesPenalty<P> && std::copy_constructible<P>;

/// Refuses a type that is no PenaltySchedule.
template <class P>
consteval bool check_penalty_schedule() {
  static_assert(detail::GivesPenalty<P>,
                "parmac: a PenaltySchedule needs double operator()(int iteration) const, the mu of "
                "that iteration, counted from 0; see docs/howto/schedules.md");
  static_assert(std::copy_constructible<P>,
                "parmac: a PenaltySchedule is held by value: it needs to be copyable; see "
                "docs/howto/schedules.md");
  return true;
}

} // namespace parmac
