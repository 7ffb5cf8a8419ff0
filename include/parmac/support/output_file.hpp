// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "parmac/support/check.hpp"

namespace parmac {

/// A file that is there whole or not at all: what is written goes to a temporary name beside the
/// final one, and `commit()` renames it after everything has reached the disk. Without `commit()`,
/// as when an exception passes, the temporary file is removed and what stood at `path` stays.
/// A path that exists and is no regular file (a pipe, `/dev/full`) is written to directly.
class OutputFile {
public:
  /// @throws DataError when the file cannot be created.
  explicit OutputFile(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code ignored;
    const auto kind = std::filesystem::status(path_, ignored).type();
    const bool special = kind != std::filesystem::file_type::not_found &&
                         kind != std::filesystem::file_type::regular;
    written_ = special ? path_
                       : std::filesystem::path(path_.string() + ".part" + std::to_string(getpid()));
    file_ = std::fopen(written_.c_str(), "wb");
    check(file_ != nullptr, "created");
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!committed_ && written_ != path_) {
      std::error_code ignored;
      std::filesystem::remove(written_, ignored);
    }
  }

  /// Appends bytes. @throws DataError when the disk is full or fails.
  void write(std::span<const std::byte> bytes) {
    check(bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size(),
          "written");
  }
  /// Appends text. @throws DataError
  void write(std::string_view words) { write(std::as_bytes(std::span(words))); }
  /// Sends what was written to the disk, so that a file that grows can be read meanwhile.
  /// @throws DataError
  void flush() { check(std::fflush(file_) == 0, "written"); }

  /// Completes the file under its final name. Nothing may be written after it. @throws DataError
  void commit() {
    flush();
    check(written_ == path_ || fsync(fileno(file_)) == 0, "written");
    check(std::fclose(std::exchange(file_, nullptr)) == 0, "written");
    check(written_ == path_ || std::rename(written_.c_str(), path_.c_str()) == 0, "renamed");
    committed_ = true;
  }

private:
  void check(bool good, const char* done) const {
    if (!good)
      throw DataError(text(path_.string(), " cannot be ", done, ": ", std::strerror(errno)));
  }

  std::filesystem::path path_;
  std::filesystem::path written_;
  std::FILE* file_ = nullptr;
  bool committed_ = false;
};

} // namespace parmac
