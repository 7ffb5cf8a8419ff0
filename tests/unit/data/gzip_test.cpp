// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include "data_files.hpp"
#include "parmac/data/gzip.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
} // namespace

TEST_CASE("Any range of bytes comes out of a gzip file, also of one with several members") {
  TemporaryFolder folder;
  RandomStream random(1);
  std::string bytes(400000, '\0'); // several times the sizes of all buffers
  for (char& c : bytes) c = static_cast<char>('a' + random.below(20));
  write_bytes(folder / "one", gzip(bytes));
  write_bytes(folder / "three",
              gzip(bytes.substr(0, 150000)) + gzip("") + gzip(bytes.substr(150000)));
  std::vector<std::pair<std::size_t, std::size_t>> ranges{
      {0, 400000}, {0, 0}, {400000, 0}, {131071, 2}, {149999, 2}, {131072, 131072}};
  for (int i = 0; i < 6; ++i) {
    const std::size_t first = random.below(400000);
    ranges.emplace_back(first, random.below(400001 - first));
  }
  for (const char* name : {"one", "three"})
    for (const auto& [first, count] : ranges) {
      const Inflated found =
          gunzip(folder / name, static_cast<Index>(first), static_cast<Index>(count));
      CHECK(found.size == 400000);
      CHECK((text_of(found.bytes) == bytes.substr(first, count)));
    }
  CHECK(gunzip(folder / "one", 399990, 100).bytes.size() == 10); // what there is
  CHECK(gunzip(folder / "one", 500000, 100).bytes.empty());
}

TEST_CASE("Every gzip file that is cut off, and every damage to its contents, is noticed") {
  TemporaryFolder folder;
  const std::string whole = gzip("what a long way to say it, what a long way to go");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_bytes(folder / "x", whole.substr(0, size));
    CHECK(says(message_of<DataError>([&] { return gunzip(folder / "x", 0, 100); }),
               {"x is damaged or no gzip file", "ends too early"}));
  }
  for (std::size_t at = 10; at < whole.size(); ++at) { // behind the header
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write_bytes(folder / "x", bytes);
    CHECK_THROWS_AS(gunzip(folder / "x", 0, 0), DataError); // even where nothing is wanted
  }
  write_bytes(folder / "x", whole + "more");
  CHECK_THROWS_AS(gunzip(folder / "x", 0, 100), DataError);
  CHECK_THROWS_AS(gunzip(folder / "missing", 0, 100), DataError);
}

TEST_CASE("A gzip file stands for its contents, and a plain one for itself") {
  TemporaryFolder folder;
  RandomStream random(2);
  std::string bytes(100000, '\0');
  for (char& c : bytes) c = static_cast<char>(random.below(5));
  write_bytes(folder / "packed.gz", gzip(bytes));
  write_bytes(folder / "plain", bytes);
  const InputFile packed(folder / "packed.gz", gunzip);
  const InputFile plain(folder / "plain", gunzip);
  for (const InputFile* file : {&packed, &plain}) {
    CHECK(file->size() == 100000);
    for (const auto& [first, count] : std::vector<std::pair<Index, Index>>{
             {0, 10}, {0, 65536}, {65530, 6}, {65530, 7}, {70000, 30000}, {0, 100000}, {100000, 0}})
      CHECK((text_of(file->bytes(first, count).view) ==
             bytes.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(count))));
    CHECK(file->head(200000).view.size() == 100000);
    CHECK_THROWS_AS(file->bytes(99999, 2), DataError);
    CHECK_THROWS_AS(file->bytes(-1, 2), DataError);
  }
}

TEST_CASE("A gzip file without something to unpack it is refused with a way out") {
  TemporaryFolder folder;
  write_bytes(folder / "x.idx.gz", gzip("abc"));
  CHECK(says(message_of<DataError>([&] { InputFile(folder / "x.idx.gz"); }),
             {"x.idx.gz is compressed", "include parmac/data/gzip.hpp", "link parmac::zlib",
              "parmac::gunzip"}));
  write_bytes(folder / "plain.gz", "abc");
  CHECK(says(message_of<DataError>([&] { InputFile(folder / "plain.gz", gunzip); }),
             {"plain.gz ends in .gz", "does not start like a gzip file"}));
}
