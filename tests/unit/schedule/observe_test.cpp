// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cstdint>
#include <filesystem>
#include <locale>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include "expect.hpp"
#include "parmac/schedule/observe/csv_log.hpp"
#include "parmac/schedule/observe/progress.hpp"
#include "temporary_folder.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

RunInfo two_machines(int rank) {
  return {.rank = rank,
          .machines = 2,
          .points = {30, 10},
          .submodels = 1,
          .batons = 1,
          .idle_machines = 1,
          .epochs = 2};
}

IterationReport an_iteration(int rank) {
  return {.rank = rank,
          .iteration = 3,
          .mu = 0.1,
          .before = 2.5,
          .objective = 1.0 / 3,
          .nested = 1e-17,
          .violation = 4,
          .changed = 7,
          .points = 40,
          .seconds = 1.5,
          .machines = {{.w_seconds = 0.5,
                        .z_seconds = 0.25,
                        .wait_seconds = 0.125,
                        .bytes_sent = (std::uint64_t{1} << 53) + 2,
                        .messages_sent = 3,
                        .passes = 4},
                       {.bytes_sent = 5, .messages_sent = 6, .passes = 8}}};
}

Report a_report(int rank) {
  Report report;
  report.info = two_machines(rank);
  return report;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

bool is_empty(const TemporaryFolder& folder) {
  return std::filesystem::directory_iterator(folder.path()) ==
         std::filesystem::directory_iterator();
}

struct CommaPoint : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

// Remembers what it was given in one piece.
struct Pieces : std::streambuf {
  std::vector<std::string> pieces;
  std::streamsize xsputn(const char* from, std::streamsize count) override {
    pieces.emplace_back(from, static_cast<std::size_t>(count));
    return count;
  }
};

} // namespace

TEST_CASE("The CSV log has a line an iteration and machine, each value under its name") {
  const TemporaryFolder folder;
  CsvLog log(folder / "log.csv");
  log.on_start(two_machines(0));
  log.on_iteration(an_iteration(0));
  log.on_finish(a_report(0));
  const std::vector<std::string> lines = split(read_bytes(folder / "log.csv"), '\n');
  REQUIRE(lines.size() == 3);
  const std::vector<std::string> names = split(lines[0], ',');
  const auto value = [&](std::size_t line, const std::string& name) {
    const std::vector<std::string> values = split(lines[line], ',');
    REQUIRE(values.size() == names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return values[i];
    FAIL("there is no column " << name);
    return std::string();
  };
  for (const std::size_t line : {1U, 2U}) {
    CHECK(value(line, "iteration") == "3");
    CHECK(std::stod(value(line, "mu")) == 0.1);
    CHECK(value(line, "points") == "40");
    CHECK(value(line, "before") == "2.5");
    CHECK(std::stod(value(line, "objective")) == 1.0 / 3); // every bit comes back
    CHECK(std::stod(value(line, "nested")) == 1e-17);
    CHECK(value(line, "violation") == "4");
    CHECK(value(line, "changed") == "7");
    CHECK(value(line, "seconds") == "1.5");
  }
  CHECK(value(1, "machine") == "0");
  CHECK(value(1, "machine_points") == "30");
  CHECK(value(1, "w_seconds") == "0.5");
  CHECK(value(1, "z_seconds") == "0.25");
  CHECK(value(1, "wait_seconds") == "0.125");
  CHECK(value(1, "bytes_sent") == "9007199254740994");
  CHECK(value(1, "messages_sent") == "3");
  CHECK(value(1, "passes") == "4");
  CHECK(value(2, "machine") == "1");
  CHECK(value(2, "machine_points") == "10");
  CHECK(value(2, "bytes_sent") == "5");
  CHECK(value(2, "messages_sent") == "6");
  CHECK(value(2, "passes") == "8");
}

TEST_CASE("The CSV log appears when the run ends, and not at all when it fails") {
  const TemporaryFolder folder;
  {
    CsvLog log(folder / "log.csv");
    log.on_start(two_machines(0));
    log.on_iteration(an_iteration(0));
    CHECK_FALSE(std::filesystem::exists(folder / "log.csv"));
  }
  CHECK(is_empty(folder));
}

TEST_CASE("Only rank 0 writes the CSV log") {
  const TemporaryFolder folder;
  CsvLog log(folder / "log.csv");
  log.on_start(two_machines(1));
  log.on_iteration(an_iteration(1));
  log.on_finish(a_report(1));
  CHECK(is_empty(folder));
}

TEST_CASE("One CSV log may serve several runs, the last of which stays") {
  const TemporaryFolder folder;
  CsvLog log(folder / "log.csv");
  for (int lines = 2; lines >= 1; --lines) {
    log.on_start(two_machines(0));
    for (int i = 0; i < lines; ++i) log.on_iteration(an_iteration(0));
    log.on_finish(a_report(0));
  }
  CHECK(split(read_bytes(folder / "log.csv"), '\n').size() == 3);
}

TEST_CASE("A CSV log that cannot be written is told at the start") {
  const TemporaryFolder folder;
  CsvLog log(folder / "missing/log.csv");
  CHECK_THROWS_AS(log.on_start(two_machines(0)), DataError);
}

TEST_CASE("Progress is written by rank 0 alone") {
  std::ostringstream out;
  ProgressLine progress(out);
  progress.on_start(two_machines(1));
  progress.on_iteration(an_iteration(1));
  CHECK(out.str().empty());
  progress.on_start(two_machines(0));
  CHECK(out.str() == "2 machines, 40 points, 1 submodels in 1 batons, 2 epochs an iteration\n"
                     "note: 1 machines start without a submodel\n");
  out.str("");
  progress.on_iteration(an_iteration(0));
  CHECK(split(out.str(), '\n').size() == 1);
  CHECK(contains(out.str(), "iteration   3"));
  CHECK(contains(out.str(), "objective 0.00833")); // 1/3 over 40 points
  CHECK(contains(out.str(), "changed  17.50%"));   // 7 of 40
  CHECK(contains(out.str(), "W 0.50 s (waited 0.12) Z 0.25 s"));
}

TEST_CASE("Each line of progress is written in one piece, ended, however large its numbers") {
  Pieces pieces;
  std::ostream out(&pieces);
  ProgressLine progress(out);
  progress.on_start(two_machines(0));
  IterationReport huge = an_iteration(0);
  huge.objective = huge.nested = huge.violation = 1e300;
  for (const IterationReport& iteration : {an_iteration(0), huge}) progress.on_iteration(iteration);
  REQUIRE(pieces.pieces.size() == 4);
  for (const std::string& piece : pieces.pieces) {
    CHECK(piece.back() == '\n');
    CHECK(split(piece, '\n').size() == 1);
  }
  CHECK(contains(pieces.pieces.back(), " Z 0.25 s\n")); // nothing is cut off
}

TEST_CASE("Logs are the same where the locale writes commas") {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
  const TemporaryFolder folder;
  std::ostringstream out;
  ProgressLine progress(out);
  CsvLog log(folder / "log.csv");
  log.on_start(two_machines(0));
  log.on_iteration(an_iteration(0));
  log.on_finish(a_report(0));
  progress.on_iteration(an_iteration(0));
  std::locale::global(before);
  CHECK(split(split(read_bytes(folder / "log.csv"), '\n').at(1), ',').size() == 17);
  CHECK(contains(out.str(), "W 0.50 s"));
}
