// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "parmac/data/input_file.hpp"
#include "parmac/data/layout_hint.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/data/points.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/little_endian.hpp"
#include "parmac/support/output_file.hpp"

// The layouts of the TEXMEX corpus (http://corpus-texmex.irisa.fr): one record a point, an int32
// dimension and as many values: float32 in fvecs, unsigned bytes in bvecs, int32 in ivecs. All
// least significant byte first. No header before the first record.

namespace parmac {

namespace detail {

/// The layout of one of the three.
struct VecsKind {
  std::string_view name;
  Index value_bytes;
};
inline constexpr VecsKind fvecs{"fvecs", 4};
inline constexpr VecsKind bvecs{"bvecs", 1};
inline constexpr VecsKind ivecs{"ivecs", 4};

struct VecsShape {
  Index points = 0;
  Index dimension = 0;
  Index record_bytes = 0;
};

/// Checks the dimensions that stand before the records of a share.
/// @param bytes those records, the first of which has number `first` in the file.
inline void require_dimensions(const InputFile& file, VecsKind kind, const VecsShape& shape,
                               std::span<const std::byte> bytes, Index first) {
  const Index count = static_cast<Index>(bytes.size()) / shape.record_bytes;
  for (Index n = 0; n < count; ++n) {
    const Index found = load_little<std::int32_t>(bytes.data() + n * shape.record_bytes);
    if (found != shape.dimension)
      throw DataError(text(file.name(), ": record ", first + n, " has dimension ", found,
                           ", but record 0 has ", shape.dimension, "; all must be equal",
                           layout_hint(file, kind.name)));
  }
}

/// The shape by the first record and the size of the file. @throws DataError
[[nodiscard]] inline VecsShape vecs_shape(const InputFile& file, VecsKind kind) {
  const Index size = file.size();
  require<DataError>(size > 0, file.name(), " is empty; a ", kind.name,
                     " file has at least one record");
  require<DataError>(size >= 4, file.name(), ": record 0 is cut off in its header: ", size,
                     " bytes are left of 4");
  const Index D = load_little<std::int32_t>(file.head(4).view.data());
  if (D < 1 || D > largest_vecs_dimension)
    throw DataError(text(file.name(), ": record 0 has dimension ", D, "; a ", kind.name,
                         " file has dimensions of 1 to ", largest_vecs_dimension,
                         layout_hint(file, kind.name)));
  const VecsShape shape{size / (4 + D * kind.value_bytes), D, 4 + D * kind.value_bytes};
  const Index rest = size % shape.record_bytes;
  if (rest == 0) return shape;
  // Records of different dimensions explain it better, if there are any near the start.
  require_dimensions(file, kind, shape, file.head(Index{1} << 16).view, 0);
  throw DataError(text(file.name(), ": record ", shape.points, " is cut off",
                       rest < 4 ? " in its header" : "", ": ", rest, " bytes are left of ",
                       shape.record_bytes, " (dimension ", D, ", ", size, " bytes in all)",
                       layout_hint(file, kind.name)));
}

/// The records of a share, after their dimensions are checked.
[[nodiscard]] inline SharedBytes vecs_records(const InputFile& file, VecsKind kind,
                                              const VecsShape& shape, Share share) {
  require_share(file, shape.points, share);
  SharedBytes bytes =
      file.bytes(share.first * shape.record_bytes, share.count * shape.record_bytes);
  require_dimensions(file, kind, shape, bytes.view, share.first);
  return bytes;
}

[[nodiscard]] inline Points open_vecs(const InputFile& file, VecsKind kind, Scalar scalar,
                                      std::optional<Share> share) {
  const VecsShape shape = vecs_shape(file, kind);
  const Share part = share.value_or(Share{0, shape.points});
  const PointLayout layout{.points = part.count,
                           .dimension = shape.dimension,
                           .scalar = scalar,
                           .offset = 4,
                           .point_stride = shape.record_bytes,
                           .feature_stride = kind.value_bytes};
  return {vecs_records(file, kind, shape, part), layout, part.first, file.name()};
}

template <class Value>
void write_vecs(const std::filesystem::path& path, VecsKind kind,
                const Eigen::Ref<const Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic>>& X) {
  require<ShapeError>(X.cols() >= 1 && X.rows() >= 1 && X.rows() <= largest_vecs_dimension,
                      path.string(), " is to hold ", X.cols(), " points of ", X.rows(),
                      " features; a ", kind.name, " file has at least 1 point of 1 to ",
                      largest_vecs_dimension, " features");
  OutputFile file(path);
  std::vector<std::byte> dimension;
  append_little(dimension, narrow<std::int32_t>(X.rows()));
  for (Index n = 0; n < X.cols(); ++n) {
    file.write(dimension);
    file.write(std::as_bytes(
        std::span(X.data() + n * X.outerStride(), static_cast<std::size_t>(X.rows()))));
  }
  file.commit();
}

} // namespace detail

/// Opens the points of an fvecs file, or a share of them; only the bytes of that share are mapped.
/// Reads the dimension of every record of the share, so its pages come from the disk once.
/// @throws DataError when the file cannot be read or is not as the layout says; names the record.
/// @throws ShapeError when the file has no such share.
[[nodiscard]] inline Points open_fvecs(const InputFile& file, std::optional<Share> share = {}) {
  return detail::open_vecs(file, detail::fvecs, Scalar::float32, share);
}

/// Opens the points of a bvecs file, or a share of them; otherwise like `open_fvecs`.
[[nodiscard]] inline Points open_bvecs(const InputFile& file, std::optional<Share> share = {}) {
  return detail::open_vecs(file, detail::bvecs, Scalar::uint8, share);
}

/// Reads the numbers of an ivecs file, or of a share of its records, such as the ground truth of
/// queries: k x N, a record a column.
/// @throws DataError, ShapeError like `open_fvecs`.
[[nodiscard]] inline Eigen::MatrixXi read_ivecs(const InputFile& file,
                                                std::optional<Share> share = {}) {
  static_assert(sizeof(int) == 4);
  const detail::VecsShape shape = detail::vecs_shape(file, detail::ivecs);
  const Share part = share.value_or(Share{0, shape.points});
  const SharedBytes bytes = detail::vecs_records(file, detail::ivecs, shape, part);
  Eigen::MatrixXi numbers(shape.dimension, part.count);
  for (Index n = 0; n < part.count; ++n)
    std::memcpy(numbers.col(n).data(), bytes.view.data() + n * shape.record_bytes + 4,
                static_cast<std::size_t>(shape.record_bytes - 4));
  return numbers;
}
/// @overload
[[nodiscard]] inline Eigen::MatrixXi read_ivecs(const std::filesystem::path& path,
                                                std::optional<Share> share = {}) {
  return read_ivecs(InputFile(path), share);
}

/// Writes the columns of X as the records of an fvecs file.
/// @throws ShapeError when X has no columns, no rows, or more than a million rows.
/// @throws DataError when the file cannot be written; what stood there before is then kept.
inline void write_fvecs(const std::filesystem::path& path,
                        const Eigen::Ref<const Eigen::MatrixXf>& X) {
  detail::write_vecs<float>(path, detail::fvecs, X);
}
/// Writes the columns of X as the records of a bvecs file; otherwise like `write_fvecs`.
inline void write_bvecs(const std::filesystem::path& path, const Eigen::Ref<const ByteMatrix>& X) {
  detail::write_vecs<std::uint8_t>(path, detail::bvecs, X);
}
/// Writes the columns of X as the records of an ivecs file; otherwise like `write_fvecs`.
inline void write_ivecs(const std::filesystem::path& path,
                        const Eigen::Ref<const Eigen::MatrixXi>& X) {
  detail::write_vecs<int>(path, detail::ivecs, X);
}

} // namespace parmac
