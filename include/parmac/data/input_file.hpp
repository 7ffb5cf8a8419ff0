// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "parmac/data/mapped_file.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/data/points.hpp"
#include "parmac/data/shared_bytes.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

static_assert(std::endian::native == std::endian::little,
              "parmac: features are used as they lie in the files, least significant byte first; "
              "this processor stores numbers the other way round");

/// What comes out of a compressed file: some of its bytes, and how many there are in all.
struct Inflated {
  std::vector<std::byte> bytes;
  Index size = 0;
};

/// Reads a compressed file through and keeps those of its uncompressed bytes that are among the
/// `count` from byte `first` on; `parmac::gunzip` of parmac/data/gzip.hpp is one.
using Inflate =
    std::function<Inflated(const std::filesystem::path& path, Index first, Index count)>;

/// A file of which ranges of bytes are wanted: mapped when it is plain, uncompressed when it is
/// gzip, which its first bytes tell.
class InputFile {
public:
  /// A gzip file is read through once, to learn its size.
  /// @throws DataError when the file cannot be read or is damaged; when it is gzip and `inflate` is
  /// empty; when it is not gzip though its name ends in .gz.
  explicit InputFile(std::filesystem::path path, Inflate inflate = {})
      : path_(std::move(path)), inflate_(std::move(inflate)), size_(bytes_in_file(path_)) {
    const MappedFile start(path_, 0, std::min(size_, Index{3}));
    constexpr std::array magic{std::byte{0x1F}, std::byte{0x8B}, std::byte{0x08}};
    compressed_ = std::equal(magic.begin(), magic.end(), start.data(), start.data() + start.size());
    require<DataError>(compressed_ || path_.extension() != ".gz", name(),
                       " ends in .gz but does not start like a gzip file");
    if (!compressed_) return;
    require<DataError>(inflate_ != nullptr, name(),
                       " is compressed with gzip: include parmac/data/gzip.hpp, link parmac::zlib "
                       "and pass .inflate = parmac::gunzip, or unpack the file first");
    Inflated inflated = inflate_(path_, 0, head_bytes);
    size_ = inflated.size;
    head_ = share_bytes(std::move(inflated.bytes));
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string name() const { return path_.string(); }
  /// The number of bytes, uncompressed.
  [[nodiscard]] Index size() const { return size_; }

  /// The `count` bytes from byte `first` on. A gzip file is read through for that, unless they are
  /// among its first 64 KiB.
  /// @throws DataError when there are not so many, or the file cannot be read.
  [[nodiscard]] SharedBytes bytes(Index first, Index count) const {
    if (!compressed_) return share_bytes(MappedFile(path_, first, count));
    require<DataError>(first >= 0 && count >= 0 && count <= size_ - first, name(), " has ", size_,
                       " bytes; there are no ", count, " bytes from byte ", first, " on");
    if (count == 0) return {};
    if (first + count <= static_cast<Index>(head_.view.size()))
      return {head_.owner,
              head_.view.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count))};
    Inflated inflated = inflate_(path_, first, count);
    require<DataError>(static_cast<Index>(inflated.bytes.size()) == count, name(), " gave ",
                       inflated.bytes.size(), " bytes where it has ", count);
    return share_bytes(std::move(inflated.bytes));
  }

  /// The first `count` bytes, or all when there are fewer. @throws DataError
  [[nodiscard]] SharedBytes head(Index count) const { return bytes(0, std::min(count, size_)); }

private:
  static constexpr Index head_bytes = 1 << 16;

  std::filesystem::path path_;
  Inflate inflate_;
  Index size_ = 0;
  bool compressed_ = false;
  SharedBytes head_; // of a compressed file
};

namespace detail {

inline void require_share(const InputFile& file, Index points, Share share) {
  require<ShapeError>(share.first >= 0 && share.count >= 0 && share.count <= points - share.first,
                      file.name(), " has ", points, " points; there is no share of ", share.count,
                      " points from point ", share.first, " on");
}

/// The points of a share, of a file whose points lie one behind the other.
/// @param layout of the whole file.
[[nodiscard]] inline Points open_rows(const InputFile& file, PointLayout layout, Share share) {
  require_share(file, layout.points, share);
  const SharedBytes bytes = file.bytes(layout.offset + share.first * layout.point_stride,
                                       share.count * layout.point_stride);
  layout.offset = 0;
  layout.points = share.count;
  return {bytes, layout, share.first, file.name()};
}

} // namespace detail

} // namespace parmac
