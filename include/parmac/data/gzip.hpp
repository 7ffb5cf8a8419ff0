// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <vector>
#include <zlib.h>

#include "parmac/data/input_file.hpp"
#include "parmac/data/mapped_file.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

namespace detail {

/// zlib's state for gzip, freed with it.
class GzipStream {
public:
  GzipStream() {
    constexpr int gzip_only = 15 + 16; // the largest window, with a gzip header
    require<Error>(inflateInit2(&state, gzip_only) == Z_OK, "zlib cannot start");
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() { inflateEnd(&state); }

  z_stream state{};
};

} // namespace detail

/// Uncompresses a gzip file, of one or more members, and keeps those of its bytes that are among
/// the `count` from byte `first` on, 0 <= first and 0 <= count. Everything is read and its checksum
/// compared; memory is needed only for what is kept. An `Inflate` for `OpenOptions` and
/// `InputFile`. Needs zlib.
/// @throws DataError when the file cannot be read, is no gzip file, is damaged or cut off.
[[nodiscard]] inline Inflated gunzip(const std::filesystem::path& path, Index first, Index count) {
  const Index compressed = bytes_in_file(path);
  const MappedFile input(path, 0, compressed);
  const auto damaged = [&](const char* how, Index at) {
    throw DataError(text(path.string(), " is damaged or no gzip file: ", how, " near byte ", at,
                         " of ", compressed));
  };

  Inflated result;
  constexpr Index largest_ratio = 1032; // of deflate: 258 bytes from 2 bits
  result.bytes.reserve(static_cast<std::size_t>(std::min(count, largest_ratio * compressed)));
  detail::GzipStream stream;
  z_stream& state = stream.state;
  std::vector<std::byte> window(std::size_t{1} << 17);
  Index read = 0; // bytes that zlib was given
  bool ended = false;
  while (!ended) {
    if (state.avail_in == 0) {
      const Index piece = std::min(compressed - read, Index{1} << 20);
      if (piece == 0) damaged("it ends too early", read);
      // zlib only reads there, though its type does not say so.
      state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data() + read));
      state.avail_in = static_cast<uInt>(piece);
      read += piece;
    }
    state.next_out = reinterpret_cast<Bytef*>(window.data());
    state.avail_out = static_cast<uInt>(window.size());
    const int status = inflate(&state, Z_NO_FLUSH);
    const Index at = read - static_cast<Index>(state.avail_in);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      damaged(state.msg != nullptr ? state.msg : "it cannot be uncompressed", at);

    const Index got = static_cast<Index>(window.size()) - static_cast<Index>(state.avail_out);
    const Index begin = std::clamp(first - result.size, Index{0}, got);
    const Index end =
        begin + std::min(got - begin, count - static_cast<Index>(result.bytes.size()));
    result.bytes.insert(result.bytes.end(), window.begin() + begin, window.begin() + end);
    result.size += got;

    if (status == Z_STREAM_END) {
      ended = at == compressed;
      inflateReset(&state); // another member may follow
    }
  }
  return result;
}

} // namespace parmac
