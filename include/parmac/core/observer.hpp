// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "parmac/core/report.hpp"

namespace parmac {

namespace detail {
template <class O>
concept HasOnStart = requires(O& observer, const RunInfo& info) {
  observer.on_start(info);
};
template <class O>
concept NamesOnStart = requires {
  &O::on_start;
};
template <class O>
concept HasOnIteration = requires(O& observer, const IterationReport& iteration) {
  observer.on_iteration(iteration);
};
template <class O>
concept NamesOnIteration = requires {
  &O::on_iteration;
};
template <class O>
concept HasOnFinish = requires(O& observer, const Report& report) {
  observer.on_finish(report);
};
template <class O>
concept NamesOnFinish = requires {
  &O::on_finish;
};

template <class O>
concept HasAnyHook = HasOnStart<O> || HasOnIteration<O> || HasOnFinish<O>;
template <class O>
concept HasNoNearMiss = (HasOnStart<O> || !NamesOnStart<O>)&&(
    HasOnIteration<O> || !NamesOnIteration<O>)&&(HasOnFinish<O> || !NamesOnFinish<O>);
} // namespace detail

/// Watches a run through any of `on_start(const RunInfo&)`, `on_iteration(const
/// IterationReport&)` and `on_finish(const Report&)`, called on every machine. At least one is
/// needed, and a hook that could never be called because of its signature is refused. Hooks must
/// not be overloaded. What an observer throws ends the run on all machines.
template <class O>
concept Observer = detail::HasAnyHook<O> && detail::HasNoNearMiss<O>;

/// Refuses a type that is no Observer with one sentence a mistake.
template <class O>
consteval bool check_observer() {
  static_assert(detail::HasOnStart<O> || !detail::NamesOnStart<O>,
                "parmac: this observer's on_start would never be called: it must take a const "
                "RunInfo&, and be const for a const observer; see docs/howto/observers.md");
  static_assert(detail::HasOnIteration<O> || !detail::NamesOnIteration<O>,
                "parmac: this observer's on_iteration would never be called: it must take a const "
                "IterationReport&, and be const for a const observer; see docs/howto/observers.md");
  static_assert(detail::HasOnFinish<O> || !detail::NamesOnFinish<O>,
                "parmac: this observer's on_finish would never be called: it must take a const "
                "Report&, and be const for a const observer; see docs/howto/observers.md");
  static_assert(
      detail::HasAnyHook<O> || detail::NamesOnStart<O> || detail::NamesOnIteration<O> ||
          detail::NamesOnFinish<O>,
      "parmac: this observer watches nothing: give it on_start, on_iteration or on_finish; "
      "see docs/howto/observers.md");
  return true;
}

} // namespace parmac
