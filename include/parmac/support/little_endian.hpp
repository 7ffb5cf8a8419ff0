// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace parmac {

/// Reads a number that is stored least significant byte first, at any alignment.
template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] T load_little(const std::byte* from) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// Appends a number, least significant byte first.
template <class T>
  requires std::is_arithmetic_v<T>
void append_little(std::vector<std::byte>& to, T value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
  to.insert(to.end(), bytes.begin(), bytes.end());
}

} // namespace parmac
