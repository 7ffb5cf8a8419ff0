// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

namespace detail {

/// A regular file that is open for reading.
class Descriptor {
public:
  /// @throws DataError when the file is missing, unreadable, or no regular file.
  explicit Descriptor(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    number_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status {};
    const bool good = number_ >= 0 && ::fstat(number_, &status) == 0;
    const int reason = errno;
    std::string fault;
    if (!good)
      fault = std::strerror(reason);
    else if (S_ISDIR(status.st_mode))
      fault = std::strerror(EISDIR);
    else if (!S_ISREG(status.st_mode))
      fault = "it is not a regular file";
    if (!fault.empty()) {
      close();
      throw DataError(text(path.string(), " cannot be read: ", fault));
    }
    size_ = static_cast<Index>(status.st_size);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] Index size() const { return size_; }

private:
  void close() const {
    if (number_ >= 0) ::close(number_);
  }

  int number_ = -1;
  Index size_ = 0;
};

} // namespace detail

/// The size of a regular file in bytes.
/// @throws DataError when the file is missing, unreadable, or no regular file.
[[nodiscard]] inline Index bytes_in_file(const std::filesystem::path& path) {
  return detail::Descriptor(path).size();
}

/// A range of a file's bytes in memory, read from the disk as they are used and never written.
/// Only the pages of that range are mapped. A file must not be shortened while it is mapped.
class MappedFile {
public:
  /// Maps the `count` bytes from byte `first`; nothing, when count is 0.
  /// @throws DataError when the file is missing, unreadable, no regular file, or too short.
  MappedFile(const std::filesystem::path& path, Index first, Index count) {
    const detail::Descriptor file(path);
    require<DataError>(first >= 0 && count >= 0 && count <= file.size() - first, path.string(),
                       " has ", file.size(), " bytes; there are no ", count, " bytes from byte ",
                       first, " on");
    if (count == 0) return;
    const auto page = static_cast<Index>(::sysconf(_SC_PAGESIZE));
    const Index before = first % page; // a mapping starts with a page
    const auto length = static_cast<std::size_t>(before + count);
    void* start = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.number(), first - before);
    if (start == MAP_FAILED)
      throw DataError(text(path.string(), " cannot be mapped (", count, " bytes from byte ", first,
                           "): ", std::strerror(errno)));
    // Everything will be read, and more than once; where this advice fails, reading still works.
    ::madvise(start, length, MADV_WILLNEED);
    start_ = static_cast<const std::byte*>(start);
    before_ = before;
    count_ = count;
  }
  MappedFile(MappedFile&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)),
        before_(std::exchange(other.before_, 0)),
        count_(std::exchange(other.count_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(before_, other.before_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~MappedFile() {
    if (start_ != nullptr)
      ::munmap(const_cast<std::byte*>(start_), static_cast<std::size_t>(before_ + count_));
  }

  [[nodiscard]] const std::byte* data() const {
    return start_ == nullptr ? nullptr : start_ + before_;
  }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(count_); }

private:
  const std::byte* start_ = nullptr;
  Index before_ = 0;
  Index count_ = 0;
};

} // namespace parmac
