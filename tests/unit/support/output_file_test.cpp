// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "expect.hpp"
#include "parmac/support/output_file.hpp"
#include "temporary_folder.hpp"

namespace fs = std::filesystem;
using parmac::OutputFile;
using namespace parmac::tests;

namespace {

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

} // namespace

TEST_CASE("A file has its name only once it is committed") {
  const TemporaryFolder folder;
  OutputFile file(folder / "out.csv");
  file.write("one,");
  file.write(std::string(100000, 'x'));
  file.flush();
  CHECK_FALSE(fs::exists(folder / "out.csv"));
  REQUIRE(names_in(folder.path()).size() == 1);
  CHECK(contains(names_in(folder.path())[0], "out.csv.part"));
  file.commit();
  CHECK(names_in(folder.path()) == std::vector<std::string>{"out.csv"});
  CHECK(read_bytes(folder / "out.csv") == "one," + std::string(100000, 'x'));
}

TEST_CASE("Bytes are written as they are, also none") {
  const TemporaryFolder folder;
  OutputFile file(folder / "out");
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{13}, std::byte{10}, std::byte{255}};
  file.write(bytes);
  file.write(std::vector<std::byte>{});
  file.write("");
  file.commit();
  CHECK(read_bytes(folder / "out") == std::string("\0\r\n\xFF", 4));
}

TEST_CASE("An exception leaves nothing behind, and what was there before stays") {
  const TemporaryFolder folder;
  for (const bool existing : {false, true}) {
    if (existing) write_bytes(folder / "out", "old");
    CHECK_THROWS_AS(
        [&] {
          OutputFile file(folder / "out");
          file.write("new");
          throw std::runtime_error("meanwhile");
        }(),
        std::runtime_error);
    CHECK(names_in(folder.path()).size() == (existing ? 1 : 0));
    if (existing) CHECK(read_bytes(folder / "out") == "old");
  }
}

TEST_CASE("A committed file takes the place of what was there") {
  const TemporaryFolder folder;
  write_bytes(folder / "out", "old and longer");
  OutputFile file(folder / "out");
  file.write("new");
  CHECK(read_bytes(folder / "out") == "old and longer");
  file.commit();
  CHECK(read_bytes(folder / "out") == "new");
}

TEST_CASE("A full disk is told, with the path and the cause") {
  if (!fs::exists("/dev/full")) return;
  const Outcome outcome = outcome_of([] {
    OutputFile file("/dev/full");
    file.write(std::string(1 << 20, 'x'));
    file.commit();
  });
  CHECK(outcome.type == "DataError");
  CHECK(contains(outcome.words, "/dev/full cannot be written"));
  CHECK(contains(outcome.words, "No space left"));
  const Outcome small = outcome_of([] { // what fits into the buffer is noticed by commit
    OutputFile file("/dev/full");
    file.write("x");
    file.commit();
  });
  CHECK(small.type == "DataError");
}

TEST_CASE("A file that cannot be created is told, with the path and the cause") {
  const TemporaryFolder folder;
  const Outcome missing = outcome_of([&] { OutputFile file(folder / "no/such/folder/out"); });
  CHECK(missing.type == "DataError");
  CHECK(contains(missing.words, "no/such/folder/out cannot be created"));
  write_bytes(folder / "plain", "a file");
  CHECK(outcome_of([&] { OutputFile file(folder / "plain/out"); }).type == "DataError");
  CHECK(outcome_of([&] { OutputFile file(folder.path()); }).type == "DataError"); // a folder
  CHECK(read_bytes(folder / "plain") == "a file");
}

TEST_CASE("A file whose folder goes away meanwhile cannot be committed") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "sub");
  OutputFile file(folder / "sub/out");
  file.write("x");
  fs::remove_all(folder / "sub");
  CHECK_THROWS_AS(file.commit(), parmac::DataError);
}

TEST_CASE("A pipe is written to directly") {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::FILE* reader = std::fopen(pipe.c_str(), "r+"); // for both, so that neither end waits
  REQUIRE(reader != nullptr);
  OutputFile file(pipe);
  file.write("through");
  file.commit();
  std::string got(7, ' ');
  CHECK(std::fread(got.data(), 1, got.size(), reader) == 7);
  CHECK(got == "through");
  std::fclose(reader);
}
