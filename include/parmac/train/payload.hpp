// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "parmac/core/submodels.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

namespace detail {

struct WireArchives {};

// parmac/serialization.hpp specialises this for WireArchives; without it, a model that is not flat
// is refused where it would travel.
template <class Tag>
struct ArchiveChoice {};
template <class Tag>
concept HasArchives = requires {
  typename ArchiveChoice<Tag>::type;
};

/// What of a range travels, as bytes: the memory itself where the model is flat.
template <Submodels Model>
class Payload {
public:
  /// The memory that a range's message is read from, or written to, with flat submodels.
  /// @param training whether the message goes to a stop that trains.
  static std::span<std::byte> memory(Model& model, SubmodelRange range,
                                     bool training) requires FlatSubmodels<Model> {
    if constexpr (HasStatistics<Model>)
      if (const auto statistics = model.statistics(range); training && !statistics.empty())
        return std::as_writable_bytes(statistics);
    return std::as_writable_bytes(model.parameters(range));
  }

  /// The range as an archive of its own. `Tag` is always WireArchives; it delays the look-up until
  /// the program has included what it needs.
  template <class Tag = WireArchives>
  static std::shared_ptr<std::string> save(Model& model, SubmodelRange range) {
    static_assert(
        HasArchives<Tag>,
        "parmac: your Submodels travel by serialize(archive, range): include "
        "<parmac/serialization.hpp> (parmac/mpi.hpp does) and link parmac::serialization");
    if constexpr (HasArchives<Tag>)
      return std::make_shared<std::string>(ArchiveChoice<Tag>::type::save(model, range));
  }

  template <class Tag = WireArchives>
  static void load(Model& model, SubmodelRange range, std::string bytes) {
    if constexpr (HasArchives<Tag>) ArchiveChoice<Tag>::type::load(model, range, std::move(bytes));
  }
};

/// The position of the first number that is not finite, or -1.
template <class T>
[[nodiscard]] std::ptrdiff_t first_not_finite(std::span<T> numbers) {
  if constexpr (std::is_floating_point_v<std::remove_cv_t<T>>)
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (!std::isfinite(numbers[i])) return static_cast<std::ptrdiff_t>(i);
  return -1;
}

} // namespace detail

} // namespace parmac
