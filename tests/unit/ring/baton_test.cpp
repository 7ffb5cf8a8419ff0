// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "expect.hpp"
#include "parmac/ring/baton.hpp"
#include "parmac/support/random.hpp"

using parmac::Baton;
using parmac::ConfigError;
using parmac::cut_batons;
using parmac::RandomStream;
using parmac::SubmodelRange;
using parmac::tests::contains;
using parmac::tests::outcome_of;

namespace {

struct Problem {
  std::vector<SubmodelRange> kinds;
  std::vector<double> costs; // of each submodel
  int machines = 1;
  int per_machine = 1;

  std::vector<Baton> cut() const {
    return cut_batons(kinds, costs.size(), machines, per_machine,
                      [this](SubmodelRange range) { return work(range); });
  }
  double work(SubmodelRange range) const {
    double sum = 0;
    for (std::size_t m = range.first; m < range.last; ++m) sum += costs[m];
    return sum;
  }
};

Problem random_problem(std::uint64_t number) {
  RandomStream random(31, number);
  Problem problem;
  const std::uint64_t kinds = 1 + random.below(4);
  for (std::uint64_t k = 0; k < kinds; ++k) {
    const std::size_t first = problem.costs.size();
    const std::uint64_t many = random.below(40); // an empty kind now and then
    const bool wild = random.below(2) == 0;
    for (std::uint64_t m = 0; m < many; ++m)
      problem.costs.push_back(wild ? std::pow(10.0, 3 * random.uniform()) : 1.0);
    problem.kinds.push_back({first, problem.costs.size()});
  }
  problem.machines = static_cast<int>(1 + random.below(20));
  problem.per_machine = static_cast<int>(1 + random.below(3));
  return problem;
}

} // namespace

TEST_CASE("Batons cover every submodel once, in order, and none is empty") {
  for (std::uint64_t number = 0; number < 2000; ++number) {
    const Problem problem = random_problem(number);
    INFO("problem " << number);
    std::size_t covered = 0;
    bool good = true;
    for (const Baton& baton : problem.cut()) {
      good = good && baton.range.first == covered && baton.range.last > covered;
      covered = baton.range.last;
    }
    if (!good || covered != problem.costs.size()) FAIL_CHECK("covered " << covered);
  }
}

TEST_CASE("A baton never crosses from one kind to another") {
  for (std::uint64_t number = 0; number < 2000; ++number) {
    const Problem problem = random_problem(number);
    for (const Baton& baton : problem.cut()) {
      const bool within =
          std::any_of(problem.kinds.begin(), problem.kinds.end(), [&](const SubmodelRange& kind) {
            return kind.first <= baton.range.first && baton.range.last <= kind.last;
          });
      if (!within) FAIL_CHECK("problem " << number << ": baton at " << baton.range.first);
    }
  }
}

TEST_CASE("Every kind is cut into as many batons as there is room for, of nearly equal work") {
  for (std::uint64_t number = 0; number < 2000; ++number) {
    const Problem problem = random_problem(number);
    const std::vector<Baton> batons = problem.cut();
    for (const SubmodelRange& kind : problem.kinds) {
      std::size_t parts = 0;
      double heaviest = 0, largest = 0;
      for (const Baton& baton : batons)
        if (kind.first <= baton.range.first && baton.range.last <= kind.last) {
          ++parts;
          heaviest = std::max(heaviest, problem.work(baton.range));
        }
      for (std::size_t m = kind.first; m < kind.last; ++m)
        largest = std::max(largest, problem.costs[m]);
      const auto room = static_cast<std::size_t>(problem.machines * problem.per_machine);
      if (parts != std::min(kind.size(), room)) FAIL_CHECK("problem " << number << ": " << parts);
      if (parts > 0) {
        const double ideal = problem.work(kind) / static_cast<double>(parts);
        if (heaviest > (ideal + largest) * (1 + 1e-12))
          FAIL_CHECK("problem " << number << ": " << heaviest << " against " << ideal);
      }
    }
  }
}

TEST_CASE("Machines start with as equal work as their heaviest baton allows") {
  // Graham's bound for handing each job to the machine with the least: at the end the busiest is
  // ahead of the idlest by one job at most.
  for (std::uint64_t number = 0; number < 500; ++number) {
    const Problem problem = random_problem(number);
    std::vector<double> load(static_cast<std::size_t>(problem.machines), 0);
    double heaviest = 0;
    for (const Baton& baton : problem.cut()) {
      REQUIRE((baton.origin >= 0 && baton.origin < problem.machines));
      load[static_cast<std::size_t>(baton.origin)] += problem.work(baton.range);
      heaviest = std::max(heaviest, problem.work(baton.range));
    }
    const auto [least, most] = std::minmax_element(load.begin(), load.end());
    CHECK(*most - *least <= heaviest * (1 + 1e-9));
  }
}

TEST_CASE("Batons of equal work start round the ring, on from one kind to the next") {
  const std::vector<SubmodelRange> kinds{{0, 3}, {3, 10}};
  const std::vector<Baton> batons = cut_batons(kinds, 10, 3, 4);
  REQUIRE(batons.size() == 10);
  for (std::size_t i = 0; i < batons.size(); ++i)
    CHECK(batons[i].origin == static_cast<int>(i % 3));
}

TEST_CASE("With equal costs the batons are as equal as can be") {
  for (std::size_t submodels = 1; submodels <= 60; ++submodels)
    for (int machines = 1; machines <= 20; ++machines) {
      const std::vector<SubmodelRange> kinds{{0, submodels}};
      std::size_t least = submodels, most = 0;
      for (const Baton& baton : cut_batons(kinds, submodels, machines)) {
        least = std::min(least, baton.range.size());
        most = std::max(most, baton.range.size());
      }
      if (most - least > 1) FAIL_CHECK(submodels << " on " << machines);
    }
}

TEST_CASE("With fewer submodels than machines each travels alone, from a machine of its own") {
  const std::vector<SubmodelRange> kinds{{0, 3}};
  const std::vector<Baton> batons = cut_batons(kinds, 3, 8);
  REQUIRE(batons.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(batons[i].range == SubmodelRange{i, i + 1});
    CHECK(batons[i].origin == static_cast<int>(i));
  }
}

TEST_CASE("A heavy submodel travels alone") {
  const std::vector<SubmodelRange> kinds{{0, 4}};
  const auto cost = [](SubmodelRange range) {
    double sum = 0;
    for (std::size_t m = range.first; m < range.last; ++m) sum += m == 3 ? 10.0 : 1.0;
    return sum;
  };
  const std::vector<Baton> batons = cut_batons(kinds, 4, 2, 1, cost);
  REQUIRE(batons.size() == 2);
  CHECK(batons[0].range == SubmodelRange{0, 3});
  CHECK(batons[1].range == SubmodelRange{3, 4});
}

TEST_CASE("Kinds that do not cover the submodels are refused") {
  using Kinds = std::vector<SubmodelRange>;
  CHECK_THROWS_AS(cut_batons(Kinds{{0, 2}, {3, 5}}, 5, 2), ConfigError); // a gap
  CHECK_THROWS_AS(cut_batons(Kinds{{0, 3}, {2, 5}}, 5, 2), ConfigError); // an overlap
  CHECK_THROWS_AS(cut_batons(Kinds{{1, 5}}, 5, 2), ConfigError);         // a late start
  CHECK_THROWS_AS(cut_batons(Kinds{{0, 4}}, 5, 2), ConfigError);         // an early end
  CHECK_THROWS_AS(cut_batons(Kinds{{0, 6}}, 5, 2), ConfigError);         // a late end
  CHECK_THROWS_AS(cut_batons(Kinds{{0, 5}, {5, 4}}, 5, 2), ConfigError); // a kind backwards
}

TEST_CASE("Numbers below one are refused") {
  const std::vector<SubmodelRange> kinds{{0, 5}};
  CHECK_THROWS_AS(cut_batons(kinds, 5, 0), ConfigError);
  CHECK_THROWS_AS(cut_batons(kinds, 5, -1), ConfigError);
  CHECK_THROWS_AS(cut_batons(kinds, 5, 2, 0), ConfigError);
}

TEST_CASE("A cost that is no positive number is refused, and the submodel named") {
  const std::vector<SubmodelRange> kinds{{0, 5}};
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    const auto cost = [bad](SubmodelRange range) { return range.first == 3 ? bad : 1.0; };
    const auto outcome = outcome_of([&] { (void)cut_batons(kinds, 5, 2, 1, cost); });
    CHECK(outcome.type == "ConfigError");
    CHECK(contains(outcome.words, "submodel 3"));
  }
}
