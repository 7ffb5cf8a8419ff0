// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "data_files.hpp"
#include "parmac/data/mapped_file.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {
std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}
} // namespace

TEST_CASE("A mapped range holds the bytes of the file, wherever it starts and ends") {
  TemporaryFolder folder;
  RandomStream random(1);
  std::string bytes(20000, '\0');
  for (char& c : bytes) c = static_cast<char>(random.below(256));
  write_bytes(folder / "file", bytes);
  std::vector<std::pair<Index, Index>> ranges{{0, 20000},   {0, 0},    {20000, 0},
                                              {4096, 4096}, {4095, 2}, {19999, 1}};
  for (int i = 0; i < 50; ++i) {
    const auto first = static_cast<Index>(random.below(20000));
    ranges.emplace_back(
        first, static_cast<Index>(random.below(static_cast<std::uint64_t>(20001 - first))));
  }
  for (const auto& [first, count] : ranges)
    CHECK(text_of(MappedFile(folder / "file", first, count)) ==
          bytes.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
}

TEST_CASE("A mapping moves, and is gone with its owner") {
  TemporaryFolder folder;
  write_bytes(folder / "file", "abcdef" + std::string(20000, 'x'));
  {
    const MappedFile large(folder / "file", 4100, 15000);
    MappedFile one(folder / "file", 2, 3);
    MappedFile two = std::move(one);
    CHECK(text_of(two) == "cde");
    MappedFile three(folder / "file", 0, 1);
    three = std::move(two);
    CHECK(text_of(three) == "cde");
    CHECK(mapped_bytes(folder / "file") > 0);
  }
  CHECK(mapped_bytes(folder / "file") == 0);
}

TEST_CASE("A range beyond the end of the file is refused with both numbers") {
  TemporaryFolder folder;
  write_bytes(folder / "file", "abcdef");
  CHECK(says(message_of<DataError>([&] { MappedFile(folder / "file", 3, 4); }),
             {"file has 6 bytes", "4 bytes from byte 3"}));
  CHECK_THROWS_AS(MappedFile(folder / "file", -1, 2), DataError);
  CHECK_THROWS_AS(MappedFile(folder / "file", 7, 0), DataError);
  CHECK_THROWS_AS(MappedFile(folder / "file", 1, std::numeric_limits<Index>::max()), DataError);
}

TEST_CASE("What is no readable file is refused in the system's words") {
  TemporaryFolder folder;
  CHECK(says(message_of<DataError>([&] { MappedFile(folder / "missing", 0, 0); }),
             {"missing cannot be read", "No such file or directory"}));
  CHECK(says(message_of<DataError>([&] { MappedFile(folder.path(), 0, 0); }), {"Is a directory"}));
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(says(message_of<DataError>([&] { MappedFile(folder / "pipe", 0, 0); }),
             {"pipe", "not a regular file"})); // and it does not wait for a writer
  write_bytes(folder / "locked", "x");
  REQUIRE(chmod((folder / "locked").c_str(), 0) == 0);
  if (geteuid() != 0) // root reads everything
    CHECK(says(message_of<DataError>([&] { MappedFile(folder / "locked", 0, 1); }),
               {"locked", "Permission denied"}));
}
