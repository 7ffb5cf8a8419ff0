// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "parmac/ring/visit_plan.hpp"

using parmac::VisitPlan;
using parmac::VisitSettings;

namespace {

// All machines that a baton meets, in order.
std::vector<int> walk(const VisitPlan& plan, int origin) {
  std::vector<int> stops{origin};
  for (std::uint32_t position = 0; position < plan.last_position(); ++position)
    stops.push_back(plan.next(stops.back(), position));
  return stops;
}

// The successors in the ring of one lap, as hops into positions of that lap.
std::vector<int> ring_of_lap(const VisitPlan& plan, int machines, int lap) {
  std::vector<int> successors;
  const auto position = static_cast<std::uint32_t>(lap * machines); // a hop to position + 1
  for (int rank = 0; rank < machines; ++rank) successors.push_back(plan.next(rank, position));
  return successors;
}

template <class Check>
void for_all_plans(Check&& check) {
  for (int machines = 1; machines <= 20; ++machines)
    for (int epochs = 1; epochs <= 5; ++epochs)
      for (const bool local : {false, true})
        for (const bool shuffle : {false, true})
          for (std::uint64_t seed = 0; seed < (shuffle ? 10U : 1U); ++seed) {
            const VisitSettings settings{epochs, local, shuffle};
            INFO("P=" << machines << " e=" << epochs << " local=" << local << " shuffle=" << shuffle
                      << " seed=" << seed);
            check(machines, settings,
                  VisitPlan(machines, settings, seed, static_cast<int>(seed % 3)));
          }
}

} // namespace

TEST_CASE("A baton trains e times on every machine and is delivered once to all but the last") {
  for_all_plans([](int machines, const VisitSettings& settings, const VisitPlan& plan) {
    for (int origin = 0; origin < machines; ++origin) {
      const std::vector<int> stops = walk(plan, origin);
      const auto P = static_cast<std::size_t>(machines);
      std::vector<int> trained(P, 0), delivered(P, 0);
      int completed = 0, last_trainer = -1;
      for (std::uint32_t position = 0; position < stops.size(); ++position) {
        const auto at = static_cast<std::size_t>(stops[position]);
        if (plan.trains(position))
          trained[at] += plan.passes_a_stop();
        else
          ++delivered[at];
        if (plan.completes(position)) {
          ++completed;
          last_trainer = stops[position];
        }
      }
      std::vector<int> expected(P, 1);
      expected[static_cast<std::size_t>(last_trainer)] = 0;
      const bool good = trained == std::vector<int>(P, settings.epochs) && delivered == expected &&
                        completed == 1;
      if (!good) CHECK(good); // one assertion a failure: there are 100,000 batons
    }
  });
}

TEST_CASE("A baton makes (e+1)P - 2 hops, or 2P - 2 with all epochs at each stop") {
  for_all_plans([](int machines, const VisitSettings& settings, const VisitPlan& plan) {
    const int laps = settings.local_epochs ? 1 : settings.epochs;
    CHECK(plan.last_position() == static_cast<std::uint32_t>((laps + 1) * machines - 2));
    CHECK(plan.training_stops() == static_cast<std::uint32_t>(laps * machines));
    CHECK(plan.passes_a_stop() == (settings.local_epochs ? settings.epochs : 1));
  });
}

TEST_CASE("Every lap meets every machine once, wherever the baton starts") {
  for_all_plans([](int machines, const VisitSettings&, const VisitPlan& plan) {
    for (int origin = 0; origin < machines; ++origin) {
      const std::vector<int> stops = walk(plan, origin);
      const auto P = static_cast<std::size_t>(machines);
      for (std::size_t lap = 0; lap * P < stops.size(); ++lap) {
        std::set<int> met;
        std::size_t count = 0;
        for (std::size_t k = lap * P; k < std::min((lap + 1) * P, stops.size()); ++k, ++count) {
          met.insert(stops[k]);
          if (plan.lap(static_cast<std::uint32_t>(k)) != static_cast<int>(lap))
            FAIL_CHECK("position " << k << " is not in lap " << lap);
        }
        if (met.size() != count)
          FAIL_CHECK("lap " << lap << " from " << origin << " meets one twice");
      }
    }
  });
}

TEST_CASE("The ring of a lap is a single cycle") {
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (int machines = 2; machines <= 20; ++machines) {
      const VisitPlan plan(machines, {.epochs = 3, .shuffle_ring = true}, seed);
      for (int lap = 0; lap < 4; ++lap) {
        const std::vector<int> next = ring_of_lap(plan, machines, lap);
        int length = 0, at = 0;
        do {
          at = next[static_cast<std::size_t>(at)];
          ++length;
        } while (at != 0 && length <= machines);
        if (length != machines) FAIL_CHECK("a cycle of " << length << " of " << machines);
      }
    }
}

TEST_CASE("Equal seeds make equal plans; laps, iterations and seeds differ") {
  const VisitSettings settings{.epochs = 3, .shuffle_ring = true};
  const int machines = 12; // two of its 11! rings are hardly ever equal by chance
  const VisitPlan plan(machines, settings, 7, 4);
  const VisitPlan same(machines, settings, 7, 4);
  std::set<std::vector<int>> rings;
  for (int lap = 0; lap <= 3; ++lap) {
    CHECK(ring_of_lap(plan, machines, lap) == ring_of_lap(same, machines, lap));
    rings.insert(ring_of_lap(plan, machines, lap));
    rings.insert(ring_of_lap(VisitPlan(machines, settings, 7, 5), machines, lap));
    rings.insert(ring_of_lap(VisitPlan(machines, settings, 8, 4), machines, lap));
  }
  CHECK(rings.size() == 12);
}

TEST_CASE("Shuffled rings are all about as likely") {
  // With 4 machines there are 3! = 6 rings.
  std::map<std::vector<int>, int> seen;
  for (std::uint64_t seed = 0; seed < 6000; ++seed)
    ++seen[ring_of_lap(VisitPlan(4, {.shuffle_ring = true}, seed), 4, 0)];
  REQUIRE(seen.size() == 6);
  for (const auto& [ring, times] : seen) CHECK(std::abs(times - 1000) < 150); // 5 deviations
}

TEST_CASE("A fixed ring goes from each rank to the next") {
  const VisitPlan plan(3, {.epochs = 2});
  CHECK(walk(plan, 1) == std::vector<int>{1, 2, 0, 1, 2, 0, 1, 2});
  CHECK(walk(VisitPlan(3, {.epochs = 2, .local_epochs = true}), 1) ==
        std::vector<int>{1, 2, 0, 1, 2});
  CHECK(walk(VisitPlan(1, {.epochs = 4}), 0) == std::vector<int>{0, 0, 0, 0});
}

TEST_CASE("A plan refuses to have no machines or no epochs") {
  CHECK_THROWS_AS(VisitPlan(0, {}), parmac::ConfigError);
  CHECK_THROWS_AS(VisitPlan(-1, {}), parmac::ConfigError);
  CHECK_THROWS_AS(VisitPlan(2, {.epochs = 0}), parmac::ConfigError);
  CHECK_THROWS_AS(VisitPlan(2, {.epochs = -3}), parmac::ConfigError);
}
