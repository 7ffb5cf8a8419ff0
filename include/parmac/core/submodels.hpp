// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "parmac/core/portable.hpp"
#include "parmac/core/submodel_range.hpp"
#include "parmac/core/visit.hpp"

namespace parmac {

namespace detail {
template <class T>
struct IsNumberSpan : std::false_type {};
template <class T>
struct IsNumberSpan<std::span<T>>
    : std::bool_constant<std::is_arithmetic_v<T> && !std::is_const_v<T>> {};

template <class S>
concept HasShardType = requires {
  typename S::shard_type;
};
template <class S>
concept HasSizedShard = HasShardType<S> && requires(const typename S::shard_type& shard) {
  { shard.size() } -> std::convertible_to<std::size_t>;
};
template <class S>
concept HasSize = requires(const S& model) {
  { model.size() } -> std::convertible_to<std::size_t>;
};
template <class S>
concept HasTrain = HasShardType<S> &&
    requires(S& model, SubmodelRange r, const typename S::shard_type& shard, const Visit& visit) {
  model.train(r, shard, visit);
};
template <class S>
concept HasParameters = requires(S& model, SubmodelRange r) {
  model.parameters(r);
}
&&IsNumberSpan<decltype(std::declval<S&>().parameters(SubmodelRange{}))>::value;
template <class S>
concept HasSerialize = requires(S& model, ProbeArchive& archive, SubmodelRange r) {
  model.serialize(archive, r);
};

// The optional members, and their names alone: a name with another signature is a mistake.
template <class S>
concept HasFinish = requires(S& model, SubmodelRange r) {
  model.finish(r);
};
template <class S>
concept NamesFinish = requires {
  &S::finish;
};
template <class S>
concept HasKinds = requires(const S& model) {
  { model.kinds() } -> std::convertible_to<std::vector<SubmodelRange>>;
};
template <class S>
concept NamesKinds = requires {
  &S::kinds;
};
template <class S>
concept HasCost = requires(const S& model, SubmodelRange r) {
  { model.cost(r) } -> std::convertible_to<double>;
};
template <class S>
concept NamesCost = requires {
  &S::cost;
};
template <class S>
concept HasStatistics = requires(S& model, SubmodelRange r) {
  model.statistics(r);
}
&&IsNumberSpan<decltype(std::declval<S&>().statistics(SubmodelRange{}))>::value;
template <class S>
concept NamesStatistics = requires {
  &S::statistics;
};
template <class S>
concept HasEpochs = requires(const S& model, SubmodelRange r, int asked) {
  { model.epochs(r, asked) } -> std::convertible_to<int>;
};
template <class S>
concept NamesEpochs = requires {
  &S::epochs;
};
template <class S>
concept HasOutputLayer = requires(const S& model) {
  { model.output_layer() } -> std::convertible_to<SubmodelRange>;
};
template <class S>
concept NamesOutputLayer = requires {
  &S::output_layer;
};
} // namespace detail

/// The parameters lie in contiguous memory, which is what travels.
template <class S>
concept FlatSubmodels = detail::HasParameters<S>;

/// The independent submodels of a nested model: what the W step trains, and what travels.
///
/// A model has `shard_type` (one machine's points and coordinates, with `size()`, the number of
/// points), and
///   - `size()`: M, the number of submodels;
///   - `train(range, shard, visit)`: one stochastic pass over the shard for all of the range;
///   - `parameters(range)`: a std::span of numbers, the contiguous memory that travels; or, for
///     submodels that are not flat, `serialize(archive, range)` through Boost.Serialization.
/// Optional:
///   - `finish(range)`: after the range's last training visit, where that was;
///   - `kinds()`: std::vector<SubmodelRange>, consecutive; ranges never cross their boundaries;
///   - `cost(range)`: relative work of a visit, so that batons can be cut to equal work;
///   - `statistics(range)`: a std::span that travels instead of the parameters during training,
///     when it is not empty; `finish` then turns it into parameters;
///   - `epochs(range, asked)`: how many of the epochs asked for this range needs, at least 1;
///   - `output_layer()`: the range that is trained once more at the end, on the projected
///     coordinates.
/// Laws: training a range on an empty shard changes nothing but statistics' zeros; a range's
/// training depends on the range, the shard and the visit alone; different ranges share no memory.
template <class S>
concept Submodels = detail::HasSizedShard<S> && detail::HasSize<S> && detail::HasTrain<S> &&
    (detail::HasParameters<S> || detail::HasSerialize<S>);

/// Refuses a type that models no Submodels with one sentence a missing piece.
template <class S>
consteval bool check_submodels() {
  static_assert(detail::HasShardType<S>,
                "parmac: your Submodels need a member type shard_type: what one machine holds, its "
                "points and their coordinates; see docs/howto/submodels.md");
  static_assert(!detail::HasShardType<S> || detail::HasSizedShard<S>,
                "parmac: your Submodels' shard_type needs size() const, the number of points on "
                "this machine; see docs/howto/submodels.md");
  static_assert(detail::HasSize<S>,
                "parmac: your Submodels need size() const, the number M of submodels; see "
                "docs/howto/submodels.md");
  static_assert(
      !detail::HasShardType<S> || detail::HasTrain<S>,
      "parmac: your Submodels need train(SubmodelRange, const shard_type&, const Visit&), "
      "one pass over the shard for all submodels of the range; see "
      "docs/howto/submodels.md");
  static_assert(detail::HasParameters<S> || detail::HasSerialize<S>,
                "parmac: your Submodels cannot travel: give them parameters(SubmodelRange), which "
                "returns a std::span of the range's numbers, or serialize(Archive&, SubmodelRange) "
                "through Boost.Serialization; see docs/howto/submodels.md");
  static_assert(detail::HasFinish<S> || !detail::NamesFinish<S>,
                "parmac: your Submodels' finish is never called as it is: it must take a "
                "SubmodelRange; see docs/howto/submodels.md");
  static_assert(
      detail::HasKinds<S> || !detail::NamesKinds<S>,
      "parmac: your Submodels' kinds is never called as it is: it must be const and return "
      "a std::vector<SubmodelRange>; see docs/howto/submodels.md");
  static_assert(detail::HasCost<S> || !detail::NamesCost<S>,
                "parmac: your Submodels' cost is never called as it is: it must be const, take a "
                "SubmodelRange and return a double; see docs/howto/submodels.md");
  static_assert(detail::HasStatistics<S> || !detail::NamesStatistics<S>,
                "parmac: your Submodels' statistics are never called as they are: they must take a "
                "SubmodelRange and return a std::span of numbers; see docs/howto/submodels.md");
  static_assert(detail::HasEpochs<S> || !detail::NamesEpochs<S>,
                "parmac: your Submodels' epochs is never called as it is: it must be const, take a "
                "SubmodelRange and the epochs asked for, and return an int; see "
                "docs/howto/submodels.md");
  static_assert(
      detail::HasOutputLayer<S> || !detail::NamesOutputLayer<S>,
      "parmac: your Submodels' output_layer is never called as it is: it must be const and "
      "return a SubmodelRange; see docs/howto/submodels.md");
  return true;
}

} // namespace parmac
