// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parmac/data/input_file.hpp"
#include "parmac/data/layout_hint.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/data/points.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

// The layout of MNIST's files (http://yann.lecun.com/exdb/mnist): two zero bytes, the element type,
// the number of dimensions, each size as 4 bytes, most significant first; then the elements, the
// last dimension running fastest.

namespace parmac {

namespace detail {

struct IdxHeader {
  std::vector<Index> sizes;
  Index data_offset = 0;
};

/// Reads the header of an idx file of bytes and checks it against the size of the file.
/// @throws DataError
[[nodiscard]] inline IdxHeader read_idx_header(const InputFile& file) {
  const SharedBytes magic = file.head(4);
  const auto at = [&](std::size_t i) { return std::to_integer<int>(magic.view[i]); };
  if (magic.view.size() < 4 || at(0) != 0 || at(1) != 0)
    throw DataError(
        text(file.name(), " does not start like an idx file", layout_hint(file, "idx")));
  const auto type = [&]() -> std::string_view {
    switch (at(2)) {
    case 0x08:
      return {};
    case 0x09:
      return "signed bytes";
    case 0x0B:
      return "16-bit integers";
    case 0x0C:
      return "32-bit integers";
    case 0x0D:
      return "32-bit floats, most significant byte first";
    case 0x0E:
      return "64-bit floats, most significant byte first";
    default:
      return "elements of an unknown type";
    }
  }();
  require<DataError>(type.empty(), file.name(), " holds ", type, " (idx type ", at(2),
                     "); wanted are unsigned bytes (type 8)");
  const Index count = at(3);
  require<DataError>(count >= 1, file.name(), " has an idx header of 0 dimensions");
  IdxHeader header{.sizes = {}, .data_offset = 4 + 4 * count};
  require<DataError>(file.size() >= header.data_offset, file.name(),
                     " is cut off in its idx header: it has ", file.size(), " bytes of ",
                     header.data_offset);
  const SharedBytes bytes = file.bytes(4, 4 * count);
  for (std::size_t i = 0; i < bytes.view.size(); i += 4) {
    Index size = 0;
    for (std::size_t b = 0; b < 4; ++b)
      size = size << 8 | std::to_integer<Index>(bytes.view[i + b]);
    require<DataError>(size > 0, file.name(), " has size 0 in dimension ", i / 4,
                       "; there must be at least 1 point of 1 feature");
    header.sizes.push_back(size);
  }
  const Index found = file.size() - header.data_offset;
  Index wanted = 1;
  if (product_within(found, header.sizes))
    for (const Index size : header.sizes) wanted *= size;
  else
    wanted = 0; // more than there is
  if (wanted != found) {
    std::string sizes;
    for (const Index size : header.sizes) sizes += text(sizes.empty() ? "" : " x ", size);
    throw DataError(text(file.name(), wanted == 0 ? " is cut off" : " is too long", ": it has ",
                         found, " bytes behind its header, which speaks of ", sizes));
  }
  return header;
}

/// Where the points of an idx file lie: the first dimension counts the points. @throws DataError
[[nodiscard]] inline PointLayout idx_layout(const InputFile& file) {
  const IdxHeader header = read_idx_header(file);
  require<DataError>(header.sizes.size() >= 2, file.name(),
                     " has one dimension, as labels have; points have 2 or more (labels are read "
                     "by read_idx_labels)");
  Index D = 1;
  for (std::size_t i = 1; i < header.sizes.size(); ++i) D *= header.sizes[i];
  return {.points = header.sizes[0],
          .dimension = D,
          .scalar = Scalar::uint8,
          .offset = header.data_offset,
          .point_stride = D,
          .feature_stride = 1};
}

} // namespace detail

/// Opens the points of an idx file of unsigned bytes, or a share of them: a file of N x rows x
/// columns has N points of rows * columns features. Of a plain file only the bytes of the share are
/// mapped; a gzip file is read through, and only the bytes of the share are kept.
/// @throws DataError when the file cannot be read or holds anything else.
/// @throws ShapeError when the file has no such share.
[[nodiscard]] inline Points open_idx(const InputFile& file, std::optional<Share> share = {}) {
  const PointLayout layout = detail::idx_layout(file);
  return detail::open_rows(file, layout, share.value_or(Share{0, layout.points}));
}

/// Reads the labels of an idx file of one dimension, or a share of them, a byte a point.
/// @throws DataError, ShapeError like `open_idx`.
[[nodiscard]] inline std::vector<std::uint8_t> read_idx_labels(const InputFile& file,
                                                               std::optional<Share> share = {}) {
  const detail::IdxHeader header = detail::read_idx_header(file);
  require<DataError>(header.sizes.size() == 1, file.name(), " has ", header.sizes.size(),
                     " dimensions; labels have 1");
  const Share part = share.value_or(Share{0, header.sizes[0]});
  detail::require_share(file, header.sizes[0], part);
  const SharedBytes bytes = file.bytes(header.data_offset + part.first, part.count);
  std::vector<std::uint8_t> labels(bytes.view.size());
  std::transform(bytes.view.begin(), bytes.view.end(), labels.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return labels;
}

} // namespace parmac
