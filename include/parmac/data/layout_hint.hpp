// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "parmac/data/input_file.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/little_endian.hpp"

namespace parmac::detail {

/// More features than any file of points has; a larger number is something else, read as one.
inline constexpr Index largest_vecs_dimension = 1'000'000;

/// Whether the file is made of records of an int32 dimension, always the same, and as many values
/// of `value_bytes` bytes, as far as the size and the first two records and the last tell.
[[nodiscard]] inline bool looks_like_vecs(const InputFile& file, Index value_bytes) {
  if (file.size() < 4) return false;
  const auto dimension_at = [&](Index at) {
    return Index{load_little<std::int32_t>(file.bytes(at, 4).view.data())};
  };
  const Index D = dimension_at(0);
  if (D < 1 || D > largest_vecs_dimension) return false;
  const Index record = 4 + D * value_bytes;
  return file.size() % record == 0 && dimension_at(file.size() - record) == D &&
         (file.size() == record || dimension_at(record) == D);
}

/// Whether a head of uint32 N and uint32 D, followed by N x D values, accounts for all bytes.
[[nodiscard]] inline bool looks_like_bin(const InputFile& file, Index value_bytes) {
  if (file.size() < 8) return false;
  const SharedBytes head = file.head(8);
  const auto N = Index{load_little<std::uint32_t>(head.view.data())};
  const auto D = Index{load_little<std::uint32_t>(head.view.data() + 4)};
  const std::array factors{N, D, value_bytes};
  return N > 0 && D > 0 && product_within(file.size() - 8, factors) &&
         N * D * value_bytes == file.size() - 8;
}

/// Whether the file starts with float32 numbers of everyday magnitudes. The dimension that starts
/// an fvecs file is none: as a float it is smaller than 1e-38.
[[nodiscard]] inline bool looks_like_bare_floats(const InputFile& file) {
  if (file.size() < 4 || file.size() % 4 != 0) return false;
  const SharedBytes head = file.head(64);
  bool all_zero = true;
  for (std::size_t at = 0; at + 4 <= head.view.size(); at += 4) {
    const auto x = std::abs(load_little<float>(head.view.data() + at));
    if (!(x == 0 || (x > 1e-6F && x < 1e6F))) return false; // NaN too
    all_zero = all_zero && x == 0;
  }
  return !all_zero;
}

[[nodiscard]] inline bool looks_like_text(const InputFile& file) {
  const SharedBytes head = file.head(64);
  return !head.view.empty() && std::all_of(head.view.begin(), head.view.end(), [](std::byte b) {
    const auto c = std::to_integer<unsigned char>(b);
    return (c >= ' ' && c < 127) || c == '\n' || c == '\r' || c == '\t';
  });
}

[[nodiscard]] inline bool starts_with(const InputFile& file, std::string_view magic) {
  const SharedBytes head = file.head(static_cast<Index>(magic.size()));
  return std::ranges::equal(head.view, std::as_bytes(std::span(magic)));
}

/// What the contents of a file look like, as the end of an error message; empty when they look like
/// nothing known, or like `expected` itself.
[[nodiscard]] inline std::string layout_hint(const InputFile& file, std::string_view expected) {
  const auto found = [&]() -> std::string_view {
    using namespace std::string_view_literals;
    if (starts_with(file, "\x93NUMPY")) return "npy";
    if (starts_with(file, "\0\0\x08\x01"sv) || starts_with(file, "\0\0\x08\x02"sv) ||
        starts_with(file, "\0\0\x08\x03"sv) || starts_with(file, "\0\0\x08\x04"sv))
      return "idx";
    if (looks_like_vecs(file, 1)) return "bvecs";
    if (looks_like_vecs(file, 4)) return expected == "ivecs" ? "ivecs" : "fvecs or ivecs";
    if (looks_like_bin(file, 4)) return "fbin";
    if (looks_like_bin(file, 1)) return "u8bin";
    if (looks_like_text(file)) return "text";
    if (looks_like_bare_floats(file)) return "float32 numbers without any header";
    return {};
  }();
  const bool same = found == expected || (expected == "fvecs" && found == "fvecs or ivecs");
  return found.empty() || same ? std::string() : text("; its contents look like ", found);
}

} // namespace parmac::detail
