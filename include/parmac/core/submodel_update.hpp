// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <concepts>

namespace parmac {

namespace detail {
template <class U>
concept HasStep = requires(const U& update, Eigen::Ref<Eigen::MatrixXf> W,
                           const Eigen::Ref<const Eigen::MatrixXf>& X,
                           const Eigen::Ref<const Eigen::MatrixXf>& Y, float step_size) {
  update.step(W, X, Y, step_size);
};
template <class U>
concept HasObjective = requires(const U& update, const Eigen::Ref<const Eigen::MatrixXf>& W,
                                const Eigen::Ref<const Eigen::MatrixXf>& X,
                                const Eigen::Ref<const Eigen::MatrixXf>& Y) {
  { update.objective(W, X, Y) } -> std::convertible_to<double>;
};
template <class U>
concept HasDecay = requires(const U& update) {
  { update.decay() } -> std::convertible_to<double>;
};
} // namespace detail

/// How the units of a single layer learn from one minibatch, m of them at once:
/// `step(W, X, Y, step_size)` improves the weights in place, `objective(W, X, Y)` is the mean over
/// the points of what the steps minimise, summed over the m submodels, and `decay()` is the lambda
/// in step_size(t) = eta0 / (1 + lambda eta0 t).
/// W is (D + 1) x m, a submodel a column, its bias last; X is D x B, a point a column; Y is B x m,
/// the targets of a submodel a column.
/// Laws: a submodel's column depends on its own column and targets alone, bit for bit, whatever
/// the other columns are and however many; `step` with step size 0 changes nothing.
template <class U>
concept SubmodelUpdate = detail::HasStep<U> && detail::HasObjective<U> && detail::HasDecay<U>;

/// Refuses a type that is no SubmodelUpdate with one sentence a missing piece.
template <class U>
consteval bool check_submodel_update() {
  static_assert(
      detail::HasStep<U>,
      "parmac: a SubmodelUpdate needs step(W, X, Y, float step_size) const, which improves "
      "the weights W in place from one minibatch; see docs/howto/submodels.md");
  static_assert(
      detail::HasObjective<U>,
      "parmac: a SubmodelUpdate needs objective(W, X, Y) const, the mean of what its steps "
      "minimise; see docs/howto/submodels.md");
  static_assert(
      detail::HasDecay<U>,
      "parmac: a SubmodelUpdate needs decay() const, the lambda of its step sizes (0 keeps "
      "them constant); see docs/howto/submodels.md");
  return true;
}

} // namespace parmac
