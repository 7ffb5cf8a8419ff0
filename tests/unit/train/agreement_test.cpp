// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "parmac/train/agreement.hpp"
#include "thread_outcomes.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

// All machines have come to the same operation.
void check_alive(ThreadRing& ring) {
  double one = 1;
  ring.all_sum(std::span(&one, 1));
  expect(one == ring.size(), "the ring is of no use any more");
}

std::vector<Outcome> outcomes_of(const std::vector<std::string>& words) {
  return thread_outcomes(static_cast<int>(words.size()), [&](ThreadRing& ring) {
    require_agreement(ring, words[static_cast<std::size_t>(ring.rank())]);
  });
}

std::string disagreement(const std::string& zero, const std::string& one) {
  return outcomes_of({zero, one})[0].words;
}

} // namespace

TEST_CASE("Machines that say the same agree") {
  for (const auto& outcome : outcomes_of({"a=1 b=2", "a=1 b=2", "a=1 b=2"}))
    CHECK(outcome.type == "none");
  SerialRing alone;
  CHECK_NOTHROW(require_agreement(alone, "anything"));
}

TEST_CASE("The first rank that differs is named, and the first word in which it does") {
  const auto outcomes = outcomes_of({"a=1 b=2 c=3", "a=1 b=2 c=3", "a=1 b=5 c=4", "a=0 b=2 c=3"});
  for (const Outcome& outcome : outcomes)
    CHECK(outcome.words == "the ranks do not agree: rank 0 has 'b=2', rank 2 has 'b=5'");
}

TEST_CASE("A word that goes on where the other ends is named whole") {
  CHECK(contains(disagreement("a=1 b=2", "a=10 b=2"), "rank 0 has 'a=1', rank 1 has 'a=10'"));
  CHECK(contains(disagreement("a=10 b=2", "a=1 b=2"), "rank 0 has 'a=10', rank 1 has 'a=1'"));
  CHECK(contains(disagreement("a=1 b=2", "a=1 b=22"), "rank 0 has 'b=2', rank 1 has 'b=22'"));
  CHECK(contains(disagreement("a b", "x b"), "rank 0 has 'a', rank 1 has 'x'"));
  CHECK(contains(disagreement("", "x"), "rank 0 has '', rank 1 has 'x'"));
}

TEST_CASE("What all machines do together gives each its own result") {
  run_threads(4, [](ThreadRing& ring) {
    const auto own = together(ring, [&] { return std::make_unique<int>(ring.rank() * 2); });
    expect(*own == ring.rank() * 2, "another's result");
    bool done = false;
    together(ring, [&] { done = true; });
    expect(done, "the part was not run");
  });
}

TEST_CASE("A machine that fails together with others stops all, and the lowest is named") {
  const auto outcomes = thread_outcomes(4, [](ThreadRing& ring) {
    const Outcome outcome = outcome_of([&] {
      together(ring, [&] {
        if (ring.rank() == 1) throw DataError("no file a");
        if (ring.rank() == 3) throw ConfigError("no file b");
        return 5;
      });
    });
    if (ring.rank() == 1) {
      expect(outcome.type == "DataError" && outcome.words == "no file a", outcome.words);
    } else {
      expect(outcome.type == "RemoteError" && outcome.remote_rank == 1, outcome.type);
      expect(outcome.words == "failed: no file a", outcome.words);
    }
    check_alive(ring);
  });
  for (const Outcome& outcome : outcomes) CHECK(outcome.words.empty());
}
