// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace parmac {

/// Bytes that do not change, and what keeps them alive: a mapped file, a buffer, a matrix.
struct SharedBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> view;
};

/// Moves a container with `data()` and `size()` to where its bytes can be shared.
template <class Container>
  requires(!std::is_lvalue_reference_v<Container>)
[[nodiscard]] SharedBytes share_bytes(Container&& container) {
  const auto owner = std::make_shared<const Container>(std::forward<Container>(container));
  return {owner, std::as_bytes(std::span(owner->data(), static_cast<std::size_t>(owner->size())))};
}

} // namespace parmac
