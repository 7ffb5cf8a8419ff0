// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "expect.hpp"
#include "parmac/schedule/stop/any_of.hpp"
#include "parmac/schedule/stop/fixed_point.hpp"
#include "parmac/schedule/stop/limits.hpp"
#include "parmac/schedule/stop/validation.hpp"

using namespace parmac;
using parmac::tests::contains;

namespace {

// The number of iterations that are made, of those given.
template <class Rule>
std::size_t iterations_made(Rule rule, const std::vector<IterationReport>& reports) {
  for (std::size_t i = 0; i < reports.size(); ++i)
    if (rule(reports[i])) return i + 1;
  return reports.size();
}

std::vector<IterationReport> nested(const std::vector<double>& values) {
  std::vector<IterationReport> reports;
  for (const double value : values) {
    IterationReport report;
    report.iteration = static_cast<int>(reports.size());
    report.nested = value;
    report.seconds = static_cast<double>(reports.size());
    report.points = 10;
    reports.push_back(report);
  }
  return reports;
}

} // namespace

TEST_CASE("The fixed point is reached when no constraint is violated") {
  IterationReport report;
  report.points = 100;
  report.violation = 1;
  CHECK_FALSE(FixedPoint{}(report));
  report.violation = 0;
  CHECK(FixedPoint{}(report) == "all coordinates are what the model says");
}

TEST_CASE("The tolerance of the fixed point is per point") {
  IterationReport report;
  report.points = 100;
  report.violation = 1.01;
  CHECK_FALSE(FixedPoint{0.01}(report));
  report.violation = 1;
  CHECK(FixedPoint{0.01}(report));
}

TEST_CASE("A number of iterations is a number of iterations") {
  CHECK(iterations_made(MaxIterations{4}, nested(std::vector<double>(9, 1))) == 4);
  CHECK(iterations_made(MaxIterations{1}, nested(std::vector<double>(9, 1))) == 1);
  IterationReport last;
  last.iteration = 3;
  CHECK(MaxIterations{4}(last) == "the limit of 4 iterations is reached");
}

TEST_CASE("A time limit ends after the first iteration beyond it") {
  CHECK(iterations_made(TimeLimit{3.5}, nested(std::vector<double>(9, 1))) == 5); // at 4 s
  CHECK(iterations_made(TimeLimit{4}, nested(std::vector<double>(9, 1))) == 5);
  IterationReport late;
  late.seconds = 5;
  CHECK(TimeLimit{4.5}(late) == "the limit of 4.5 s is reached");
}

TEST_CASE("A relative change below the fraction stops, up or down, but never at the first") {
  CHECK(iterations_made(RelativeChange{0.1}, nested({100, 80, 60, 50, 46, 30})) == 5); // 8%
  CHECK(iterations_made(RelativeChange{0.1}, nested({100, 105, 60})) == 2);
  CHECK(iterations_made(RelativeChange{0.1}, nested({100, 80, 100, 80})) == 4);
  CHECK(iterations_made(RelativeChange{0.1}, nested({0})) == 1);
  CHECK(iterations_made(RelativeChange{0.1}, nested({0, 0, 5})) == 2);
}

TEST_CASE("Validation stops when the score has not beaten its best for as long as its patience") {
  const auto made = [](const std::vector<double>& scores, int patience) {
    std::size_t asked = 0;
    return iterations_made(Validation([&] { return scores[asked++]; }, patience),
                           nested(std::vector<double>(scores.size(), 1)));
  };
  CHECK(made({1, 2, 3, 2, 2.9, 9}, 2) == 5);
  CHECK(made({1, 2, 3, 2, 3.1, 3, 3, 9}, 2) == 7); // a new best starts the count anew
  CHECK(made({3, 3, 4}, 1) == 2);                  // equal is not better
  CHECK(made({-5, -4, -3, -2}, 1) == 4);
  CHECK_THROWS_AS(Validation([] { return 0.0; }, 0), ConfigError);
  CHECK_THROWS_AS(Validation(nullptr), ConfigError);
}

TEST_CASE("Any of several rules stops, and all see every iteration") {
  int asked = 0;
  const auto counting = [&](const IterationReport&) {
    ++asked;
    return std::optional<std::string>();
  };
  AnyOf rule(MaxIterations{5}, TimeLimit{2}, counting);
  CHECK(iterations_made([&](const IterationReport& i) { return rule(i); },
                        nested(std::vector<double>(9, 1))) == 3);
  CHECK(asked == 3);

  AnyOf both(MaxIterations{1}, TimeLimit{0});
  CHECK(contains(*both(IterationReport{}), "1 iterations"));
}

TEST_CASE("Limits that are out of range are refused when they are asked") {
  const IterationReport iteration;

  CHECK_THROWS_AS(MaxIterations{0}(iteration), ConfigError);
  CHECK_THROWS_AS(TimeLimit{-1}(iteration), ConfigError);
  CHECK_THROWS_AS(TimeLimit{std::nan("")}(iteration), ConfigError);
  CHECK_THROWS_AS(RelativeChange{-0.1}(iteration), ConfigError);
}
