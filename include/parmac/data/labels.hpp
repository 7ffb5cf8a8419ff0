// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "parmac/data/idx.hpp"
#include "parmac/data/input_file.hpp"
#include "parmac/data/open.hpp"
#include "parmac/data/partition.hpp"

namespace parmac {

/// Reads the labels of points, a byte a point, or those of a part of the points, chosen as for
/// `open_points`: from an idx file of one dimension, or, where the name ends in .u8 or .u8.gz, from
/// plain bytes without a header.
/// @throws DataError when the file cannot be read or is no such file.
/// @throws ConfigError, ShapeError when there is no such part.
[[nodiscard]] inline std::vector<std::uint8_t> read_labels(const std::filesystem::path& path,
                                                           const OpenOptions& options = {}) {
  const InputFile file(path, options.inflate);
  const auto name = path.extension() == ".gz" ? path.stem() : path;
  if (name.extension() != ".u8")
    return read_idx_labels(file, share_of(detail::read_idx_header(file).sizes.front(), options));
  require<DataError>(file.size() > 0, file.name(), " is empty; it needs a byte for every point");
  const Share part = share_of(file.size(), options);
  detail::require_share(file, file.size(), part);
  const SharedBytes bytes = file.bytes(part.first, part.count);
  std::vector<std::uint8_t> labels(bytes.view.size());
  std::transform(bytes.view.begin(), bytes.view.end(), labels.begin(),
                 [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  return labels;
}

} // namespace parmac
