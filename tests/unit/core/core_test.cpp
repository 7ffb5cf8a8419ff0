// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cstdint>
#include <set>

#include "expect.hpp"
#include "parmac/core/report.hpp"
#include "parmac/core/submodel_range.hpp"
#include "parmac/core/visit.hpp"

using namespace parmac;
using parmac::tests::contains;

TEST_CASE("A visit draws the same numbers wherever it is named, and others at every other visit") {
  const Visit visit{.seed = 1, .iteration = 2, .epoch = 3, .rank = 4};
  CHECK(visit.stream().word64() == visit.stream().word64());
  std::set<std::uint64_t> firsts{visit.stream().word64(), visit.stream(1).word64()};
  for (int change = 0; change < 4; ++change) {
    Visit other = visit;
    if (change == 0) ++other.seed;
    if (change == 1) ++other.iteration;
    if (change == 2) ++other.epoch;
    if (change == 3) ++other.rank;
    firsts.insert(other.stream().word64());
  }
  CHECK(firsts.size() == 6);
}

TEST_CASE("A visit's numbers do not depend on how far its range has come") {
  Visit visit{.seed = 1, .iteration = 2, .epoch = 3, .rank = 4};
  const std::uint64_t first = visit.stream().word64();
  visit.visits_before = 9;
  visit.points_seen = 1000;
  CHECK(visit.stream().word64() == first);
}

TEST_CASE("A visit is the first when none was before it") {
  Visit visit;
  CHECK(visit.first());
  visit.visits_before = 1;
  CHECK_FALSE(visit.first());
}

TEST_CASE("progress() does nothing outside of a ring, and calls what the ring gave it inside") {
  Visit visit;
  CHECK_NOTHROW(visit.progress());
  int calls = 0;
  visit.let_messages_move = [&] { ++calls; };
  visit.progress();
  visit.progress();
  CHECK(calls == 2);
}

TEST_CASE("Reports add up their machines") {
  RunInfo info;
  CHECK(info.total_points() == 0);
  info.points = {3, 0, std::uint64_t{1} << 40};
  CHECK(info.total_points() == (std::uint64_t{1} << 40) + 3);
  IterationReport iteration;
  CHECK(iteration.bytes_sent() == 0);
  iteration.machines.resize(3);
  iteration.machines[0].bytes_sent = std::uint64_t{5} << 30; // more than 32 bits hold
  iteration.machines[2].bytes_sent = 7;
  iteration.machines[1].messages_sent = 2;
  iteration.machines[2].messages_sent = 3;
  CHECK(iteration.bytes_sent() == (std::uint64_t{5} << 30) + 7);
  CHECK(iteration.messages_sent() == 5);
}

TEST_CASE("The brief report tells iterations, machines, objective and the reason") {
  Report report;
  report.info.machines = 3;
  report.stop_reason = "enough";
  CHECK(contains(report.brief(), "0 iterations on 3 machines"));
  report.iterations.resize(2);
  report.iterations[1].objective = 2.5;
  report.iterations[1].violation = 4;
  CHECK(contains(report.brief(), "2 iterations on 3 machines, objective 2.5, violation 4"));
  CHECK(contains(report.brief(), "enough"));
}

TEST_CASE("A stall report says who has waited how long for what") {
  CHECK(StallReport{2, 1.5, "a sum from rank 1"}.text() ==
        "rank 2 has waited 1.5 s for a sum from rank 1");
}

TEST_CASE("The size of a range is the number of its submodels") {
  CHECK(SubmodelRange{3, 3}.size() == 0);
  CHECK(SubmodelRange{3, 8}.size() == 5);
  CHECK(SubmodelRange{3, 8} == SubmodelRange{3, 8});
  CHECK_FALSE(SubmodelRange{3, 8} == SubmodelRange{3, 7});
}
