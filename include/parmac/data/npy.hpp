// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parmac/data/input_file.hpp"
#include "parmac/data/npy_header.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/data/points.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/output_file.hpp"

namespace parmac {

namespace detail {

[[nodiscard]] inline std::string_view npy_dtype(Scalar scalar) {
  return scalar == Scalar::uint8 ? "|u1" : "<f4";
}

/// Where the points of an npy file of shape (N, D) lie. @throws DataError
[[nodiscard]] inline PointLayout npy_layout(const InputFile& file) {
  const NpyHeader header = read_npy_header(file);
  const std::string shape = shape_text(header.shape);
  require<DataError>(header.dtype == "<f4" || header.dtype == "|u1", file.name(),
                     " holds an array of dtype '", header.dtype, "' and shape ", shape,
                     "; wanted is dtype '<f4' or '|u1' (in numpy: astype('<f4'))");
  require<DataError>(header.shape.size() == 2, file.name(), " holds a ", header.shape.size(),
                     "-dimensional array, of shape ", shape,
                     "; wanted is a 2-dimensional one, of shape (points, features)");
  const Index N = header.shape[0];
  const Index D = header.shape[1];
  require<DataError>(N > 0 && D > 0, file.name(), " holds an array of shape ", shape,
                     ": there must be at least 1 point of 1 feature");
  const Scalar scalar = header.dtype == "|u1" ? Scalar::uint8 : Scalar::float32;
  const Index bytes = size_of(scalar);
  const Index found = file.size() - header.data_offset;
  const std::array factors{N, D, bytes};
  require<DataError>(product_within(found, factors), file.name(), " is cut off: an array of shape ",
                     shape, " takes ", bytes, " bytes an element, but ", found,
                     " bytes are all that follow the header");
  require<DataError>(N * D * bytes == found, file.name(), " has ", found - N * D * bytes,
                     " bytes behind its array of shape ", shape);
  const bool strips = header.fortran_order && N > 1 && D > 1; // else the orders are the same
  return {.points = N,
          .dimension = D,
          .scalar = scalar,
          .offset = header.data_offset,
          .point_stride = strips ? bytes : D * bytes,
          .feature_stride = strips ? N * bytes : bytes};
}

/// Points first .. first + count - 1 as a matrix of their own, D x count.
template <class Value>
[[nodiscard]] Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic>
copy_strips(std::span<const std::byte> bytes, const PointLayout& layout, Share share) {
  Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic> X(layout.dimension, share.count);
  constexpr Index block = 256; // so many columns stay in the cache while their rows are filled in
  for (Index begin = 0; begin < share.count; begin += block)
    for (Index d = 0; d < layout.dimension; ++d)
      for (Index n = begin; n < std::min(share.count, begin + block); ++n)
        std::memcpy(&X(d, n),
                    bytes.data() + (share.first + n) * layout.point_stride +
                        d * layout.feature_stride,
                    sizeof(Value));
  return X;
}

} // namespace detail

/// Opens the points of an npy file that holds an array of shape (N, D) and dtype '<f4' or '|u1', or
/// a share of them. In C order only the bytes of the share are mapped, and nothing is copied. In
/// Fortran order the share is copied out of the mapped array, O(D count) memory; of a gzip file,
/// the whole array is in memory meanwhile.
/// @throws DataError when the file cannot be read or holds anything else.
/// @throws ShapeError when the file has no such share.
[[nodiscard]] inline Points open_npy(const InputFile& file, std::optional<Share> share = {}) {
  const PointLayout layout = detail::npy_layout(file);
  const Share part = share.value_or(Share{0, layout.points});
  if (layout.feature_stride == size_of(layout.scalar)) return detail::open_rows(file, layout, part);
  detail::require_share(file, layout.points, part);
  PointLayout columns{.points = part.count,
                      .dimension = layout.dimension,
                      .scalar = layout.scalar,
                      .point_stride = layout.dimension * size_of(layout.scalar),
                      .feature_stride = size_of(layout.scalar)};
  SharedBytes own;
  if (part.count > 0) {
    const SharedBytes all = file.bytes(layout.offset, file.size() - layout.offset);
    own = layout.scalar == Scalar::uint8
              ? share_bytes(detail::copy_strips<std::uint8_t>(all.view, layout, part))
              : share_bytes(detail::copy_strips<float>(all.view, layout, part));
  }
  return {own, columns, part.first, file.name()};
}

/// Writes an npy file of shape (rows, columns), C order, row after row: for arrays that are larger
/// than memory, such as the codes of all points. The file appears when it is complete.
class NpyWriter {
public:
  /// @throws ShapeError unless rows >= 0 and columns >= 1.
  /// @throws DataError when the file cannot be created.
  NpyWriter(const std::filesystem::path& path, Index rows, Index columns, Scalar scalar)
      : name_(path.string()),
        rows_(rows),
        columns_(columns),
        scalar_(scalar),
        file_(checked(path, rows, columns)) {
    file_.write(detail::npy_header(detail::npy_dtype(scalar), rows, columns));
  }

  /// Appends points of floats, a point a column, as rows.
  /// @throws ShapeError when X has not as many rows as the file has columns, the file is to hold
  /// bytes, or has no room for so many. @throws DataError when the disk is full.
  void append(const Eigen::Ref<const Eigen::MatrixXf>& X) { append_columns(X, Scalar::float32); }
  /// Appends points of bytes, a point a column, as rows. @throws ShapeError, DataError likewise.
  void append(const Eigen::Ref<const ByteMatrix>& X) { append_columns(X, Scalar::uint8); }
  /// Appends whole rows of bytes, one behind the other, such as packed codes.
  /// @throws ShapeError, DataError likewise.
  void append(std::span<const std::uint8_t> bytes) {
    const auto count = static_cast<Index>(bytes.size());
    require<ShapeError>(count % columns_ == 0, name_, ": ", count, " bytes are no whole rows of ",
                        columns_, " bytes");
    take(Scalar::uint8, count / columns_);
    file_.write(std::as_bytes(bytes));
  }

  /// Completes the file. @throws ShapeError unless all rows were appended. @throws DataError
  void commit() {
    require<ShapeError>(written_ == rows_, name_, " is to have ", rows_, " rows, but ", written_,
                        " were written");
    file_.commit();
  }

private:
  static const std::filesystem::path& checked(const std::filesystem::path& path, Index rows,
                                              Index columns) {
    require<ShapeError>(rows >= 0 && columns >= 1, path.string(), " is to have ", rows, " rows of ",
                        columns, " columns; it needs at least 0 rows of 1 column");
    return path;
  }

  void take(Scalar scalar, Index rows) {
    require<ShapeError>(scalar == scalar_, name_, " is to hold ", detail::npy_dtype(scalar_),
                        ", but ", detail::npy_dtype(scalar), " is written");
    require<ShapeError>(rows <= rows_ - written_, name_, " is to have ", rows_, " rows; after ",
                        written_, " there is no room for ", rows);
    written_ += rows;
  }

  template <class Columns>
  void append_columns(const Columns& X, Scalar scalar) {
    require<ShapeError>(X.rows() == columns_, name_, " has ", columns_,
                        " features a point, but points of ", X.rows(), " are written");
    take(scalar, X.cols());
    for (Index n = 0; n < X.cols(); ++n)
      file_.write(std::as_bytes(
          std::span(X.data() + n * X.outerStride(), static_cast<std::size_t>(X.rows()))));
  }

  std::string name_;
  Index rows_;
  Index columns_;
  Scalar scalar_;
  Index written_ = 0;
  OutputFile file_;
};

/// Writes points, D x N, a point a column, as an array of shape (N, D) and dtype '<f4'.
/// @throws ShapeError when X has no rows.
/// @throws DataError when the file cannot be written; what stood there before is then kept.
inline void write_npy(const std::filesystem::path& path,
                      const Eigen::Ref<const Eigen::MatrixXf>& X) {
  NpyWriter file(path, X.cols(), X.rows(), Scalar::float32);
  file.append(X);
  file.commit();
}
/// Writes points of bytes, D x N, as an array of shape (N, D) and dtype '|u1'; otherwise likewise.
inline void write_npy(const std::filesystem::path& path, const Eigen::Ref<const ByteMatrix>& X) {
  NpyWriter file(path, X.cols(), X.rows(), Scalar::uint8);
  file.append(X);
  file.commit();
}
/// Writes rows of bytes that lie one behind the other, such as packed codes, as an array of shape
/// (N, row_bytes) and dtype '|u1'; otherwise likewise.
/// @throws ShapeError unless row_bytes >= 1 divides the number of bytes.
inline void write_npy(const std::filesystem::path& path, std::span<const std::uint8_t> bytes,
                      Index row_bytes) {
  NpyWriter file(path, row_bytes < 1 ? 0 : static_cast<Index>(bytes.size()) / row_bytes, row_bytes,
                 Scalar::uint8);
  file.append(bytes);
  file.commit();
}

} // namespace parmac
