// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>

#include "parmac/core/submodels.hpp"

namespace parmac {

/// What a Z step says of this machine's points. All fields are sums over the points and are added
/// up over the machines.
struct CoordinateReport {
  double before = 0;    ///< E_Q(W, Z; mu) with the coordinates as they were.
  double objective = 0; ///< E_Q(W, Z; mu) with the new ones.
  double nested = 0;    ///< The nested model's own objective: z = what the earlier layers say.
  double violation = 0; ///< |z - f(x)|^2, the constraint violation; wrong bits for binary codes.
  double changed = 0;   ///< Points whose coordinates changed.

  CoordinateReport& operator+=(const CoordinateReport& other) {
    before += other.before;
    objective += other.objective;
    nested += other.nested;
    violation += other.violation;
    changed += other.changed;
    return *this;
  }
};

namespace detail {
template <class C, class S>
concept HasUpdate = requires(C& step, const S& model, typename S::shard_type& shard, double mu) {
  { step.update(model, shard, mu) } -> std::convertible_to<CoordinateReport>;
};
template <class C, class S>
concept HasProject = requires(C& step, const S& model, typename S::shard_type& shard) {
  { step.project(model, shard) } -> std::convertible_to<CoordinateReport>;
};
template <class C>
concept NamesProject = requires {
  &C::project;
};
} // namespace detail

/// The Z step: `update(model, shard, mu)` improves the coordinates of this machine's points with
/// the model fixed, and reports. Points are independent; no communication.
/// Optional: `project(model, shard)` sets every coordinate to what the model says (z = f(x)) and
/// reports; the trainer then trains the model's output layer once more (MAC's post-processing).
/// Laws: the model is not changed; the penalised objective does not rise.
template <class C, class S>
concept CoordinateStep = Submodels<S> && detail::HasUpdate<C, S>;

/// Refuses a type that is no CoordinateStep for the model S with one sentence a missing piece.
template <class C, class S>
consteval bool check_coordinate_step() {
  static_assert(!detail::HasShardType<S> || detail::HasUpdate<C, S>,
                "parmac: your CoordinateStep needs CoordinateReport update(const Model&, "
                "Model::shard_type&, double mu), the Z step on this machine's points; see "
                "docs/howto/coordinate_step.md");
  static_assert(detail::HasProject<C, S> || !detail::NamesProject<C>,
                "parmac: your CoordinateStep's project is never called as it is: it must be "
                "CoordinateReport project(const Model&, Model::shard_type&); see "
                "docs/howto/coordinate_step.md");
  return true;
}

} // namespace parmac
