// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <optional>
#include <string>

#include "parmac/core/report.hpp"

namespace parmac {

namespace detail {
template <class R>
concept GivesReason = requires(R& rule, const IterationReport& iteration) {
  { rule(iteration) } -> std::convertible_to<std::optional<std::string>>;
};
} // namespace detail

/// Looks at an iteration and says why to stop, or std::nullopt to go on.
/// Law: the answer depends on the reports alone, never on the machine it is asked on, since every
/// machine asks its own copy.
template <class R>
concept StoppingRule = detail::GivesReason<R> && std::copy_constructible<R>;

/// Refuses a type that is no StoppingRule.
template <class R>
consteval bool check_stopping_rule() {
  static_assert(detail::GivesReason<R>,
                "parmac: a StoppingRule needs std::optional<std::string> operator()(const "
                "IterationReport&), the reason to stop, or nullopt to go on; see "
                "docs/howto/schedules.md");
  static_assert(std::copy_constructible<R>,
                "parmac: a StoppingRule is held by value: it needs to be copyable; see "
                "docs/howto/schedules.md");
  return true;
}

} // namespace parmac
