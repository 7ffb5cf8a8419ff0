// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "parmac/serialization.hpp"
#include "thread_outcomes.hpp"
#include "w_step_models.hpp"
#include "w_step_suite.hpp"

using namespace std::chrono_literals;
using namespace parmac;
using namespace parmac::tests;

namespace {

// All machines on threads, over a network that delays and reorders.
template <class Machine>
void on_delayed_threads(int machines, Machine&& machine) {
  run_threads(std::make_shared<ThreadNetwork>(machines, 200us, 7), machine);
}

} // namespace

TEST_CASE("Every submodel is trained e times on every machine and comes home to all") {
  for (const int machines : {1, 2, 3, 4, 5, 7, 8})
    on_delayed_threads(machines,
                       [](ThreadRing& ring) { check_w_steps(ring, uneven_points(ring.size())); });
}

TEST_CASE("A machine alone trains every submodel e times") {
  SerialRing ring;
  check_w_steps(ring, uneven_points(1));
}

TEST_CASE("Machines without points pass submodels on, also when only one has any") {
  on_delayed_threads(4, [](ThreadRing& ring) {
    for (const std::size_t with_point : {0U, 2U}) { // N = 1 < P
      std::vector<std::size_t> points(4, 0);
      points[with_point] = 1;
      check_w_step(ring, 5, points, {.visits = {.epochs = 2}, .total_points = 1});
    }
  });
}

TEST_CASE("Messages that overtake each other change nothing") {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    run_threads(std::make_shared<ThreadNetwork>(4, 2000us, seed), [](ThreadRing& ring) {
      check_w_step(ring, 9, uneven_points(4), {.visits = {.epochs = 2, .shuffle_ring = true}});
      check_w_step(ring, 3, uneven_points(4), {.visits = {.epochs = 1}, .iteration = 1});
    });
}

TEST_CASE("Statistics travel in training and parameters in delivery; finish is called once") {
  for (const int machines : {1, 2, 3, 5})
    on_delayed_threads(machines, [](ThreadRing& ring) {
      for (const std::size_t submodels : {1U, 4U, 11U})
        for (const int epochs : {1, 3})
          for (const bool local : {false, true})
            for (const bool shuffle : {false, true})
              check_statistics(ring, submodels, uneven_points(ring.size()),
                               {.visits = {epochs, local, shuffle}});
    });
}

TEST_CASE("Each kind is trained as many epochs as it wants") {
  for (const int machines : {1, 2, 3, 5})
    on_delayed_threads(machines, [](ThreadRing& ring) {
      for (const bool local : {false, true})
        for (const bool shuffle : {false, true})
          check_epochs_of_kinds(ring, 4, 7, uneven_points(ring.size()),
                                {.visits = {3, local, shuffle}});
    });
}

TEST_CASE("Submodels that are not flat travel as archives of changing size") {
  for (const int machines : {1, 2, 3, 5})
    on_delayed_threads(machines, [](ThreadRing& ring) {
      for (const bool local : {false, true})
        for (const bool shuffle : {false, true})
          check_archives(ring, 7, uneven_points(ring.size()), {.visits = {2, local, shuffle}});
    });
}

TEST_CASE("All epochs at each stop and e laps are the same for one epoch, bit for bit") {
  run_threads(3, [](ThreadRing& ring) {
    const std::vector<std::size_t> points = uneven_points(3);
    const std::vector<Baton> batons = cut_batons(std::vector<SubmodelRange>{{0, 5}}, 5, 3);
    std::vector<double> numbers[2];
    for (const bool local : {false, true}) {
      RecordingModel model(5, 3, ring.rank());
      const CountedShard shard{points[static_cast<std::size_t>(ring.rank())]};
      WStep<RecordingModel, ThreadRing>(model, shard, ring, batons,
                                        {.visits = {.epochs = 1, .local_epochs = local}})
          .run();
      numbers[local ? 1 : 0] = model.numbers();
    }
    expect(numbers[0] == numbers[1], "the variants differ");
  });
}

namespace {

// Trains in silence until a message of another baton has come in, which only progress() can do.
struct Pumping : RecordingModel {
  using RecordingModel::RecordingModel;
  void train(SubmodelRange range, const CountedShard& shard, const Visit& visit) {
    if (visit.rank == 1 && visit.first()) {
      // Submodel 0 starts on rank 0 at once and lies in this memory as soon as it is let in.
      const Stopwatch clock;
      while (origin(0) != 0 && clock.seconds() < 10) visit.progress();
      expect(origin(0) == 0, "progress() let no message in for 10 s");
    }
    RecordingModel::train(range, shard, visit);
  }
};

} // namespace

TEST_CASE("progress() takes messages in while a submodel trains") {
  run_threads(2, [](ThreadRing& ring) {
    Pumping model(2, 2, ring.rank());
    const std::vector<Baton> batons = cut_batons(std::vector<SubmodelRange>{{0, 2}}, 2, 2);
    const CountedShard shard{1};
    WStep<Pumping, ThreadRing>(model, shard, ring, batons, {}).run();
    expect(model.visits(0) == 2 && model.visits(1) == 2, "some visit is missing");
  });
}

namespace {

struct ZeroEpochs : RecordingModel {
  using RecordingModel::RecordingModel;
  [[nodiscard]] int epochs(SubmodelRange, int) const { return 0; }
};

// Turns one number into something that is not finite at one visit.
template <class Base>
struct Spoilt : Base {
  using Base::Base;
  double value = std::numeric_limits<double>::quiet_NaN();
  void train(SubmodelRange range, const CountedShard& shard, const Visit& visit) {
    Base::train(range, shard, visit);
    if (visit.rank != 2 || range.first > 2 || range.last <= 2) return;
    if constexpr (detail::HasStatistics<Base>)
      Base::statistics(range)[1] = value;
    else
      Base::parameters(range)[1] = value;
  }
};

template <class Model, class... Arguments>
std::vector<Outcome> outcomes_of_w_step(double value, Arguments... arguments) {
  return thread_outcomes(4, [&](ThreadRing& ring) {
    Model model(arguments...);
    if constexpr (requires { model.value; }) model.value = value;
    const std::vector<Baton> batons =
        cut_batons(std::vector<SubmodelRange>{{0, model.size()}}, model.size(), 4);
    const CountedShard shard{3};
    WStep<Model, ThreadRing>(model, shard, ring, batons, {.iteration = 6}).run();
  });
}

} // namespace

TEST_CASE("A number that is not finite after training is refused where it arose") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity})
    for (const bool statistics : {false, true}) {
      const auto outcomes = statistics
                                ? outcomes_of_w_step<Spoilt<StatisticsModel>>(value, std::size_t{4})
                                : outcomes_of_w_step<Spoilt<RecordingModel>>(value, std::size_t{4},
                                                                             std::size_t{4}, 0);
      CHECK(outcomes[2].type == "NumericalError");
      CHECK(contains(outcomes[2].words, "submodels 2 to 2"));
      CHECK(contains(outcomes[2].words, "rank 2"));
      CHECK(contains(outcomes[2].words, "iteration 6"));
      CHECK(contains(outcomes[2].words, "number 1"));
      for (const std::size_t rank : {0U, 1U, 3U}) {
        CHECK(outcomes[rank].remote_rank == 2);
        CHECK(outcomes[rank].words == outcomes[2].words);
      }
    }
}

TEST_CASE("A model that wants no epochs at all is refused") {
  const auto outcomes = outcomes_of_w_step<ZeroEpochs>(0, std::size_t{4}, std::size_t{4}, 0);
  CHECK((outcomes[0].type == "ConfigError" || outcomes[0].type == "RemoteError"));
  CHECK(contains(outcomes[0].words, "epochs() of submodels 0 to 0 is 0"));
}

TEST_CASE("A baton of another size than here is refused, with both sizes") {
  const auto outcomes = thread_outcomes(2, [](ThreadRing& ring) {
    RecordingModel model(2, ring.rank() == 0 ? 2 : 3, ring.rank());
    const std::vector<Baton> batons{{{0, 2}, 0}};
    const CountedShard shard{1};
    WStep<RecordingModel, ThreadRing>(model, shard, ring, batons, {}).run();
  });
  CHECK(outcomes[1].type == "TransportError");
  CHECK(contains(outcomes[1].words, "rank 0 sent"));
  CHECK(outcomes[0].remote_rank == 1);
}

TEST_CASE("A machine that waits for submodels says which, and from whom") {
  std::mutex mutex;
  std::vector<StallReport> reports;
  const Patience patience{
      .report_after = 0.05, .stop_after = 0, .on_stall = [&](const StallReport& r) {
        const std::lock_guard lock(mutex);
        reports.push_back(r);
      }};
  run_threads(
      3,
      [](ThreadRing& ring) {
        if (ring.rank() == 1) std::this_thread::sleep_for(150ms);
        check_w_step(ring, 5, uneven_points(3), {.iteration = 4});
      },
      patience);
  bool said = false;
  for (const StallReport& report : reports)
    if (report.rank == 2 && contains(report.waiting_for, "submodels 0 to 1") &&
        contains(report.waiting_for, "iteration 4") && contains(report.waiting_for, "from rank 1"))
      said = true;
  CHECK(said);
}

namespace {

// A transport in which some send never leaves, as to a machine that takes nothing in any more.
class ClingingTransport : public ThreadTransport {
public:
  using ThreadTransport::ThreadTransport;
  [[nodiscard]] bool settled(std::span<const std::byte> memory) const { return !memory.empty(); }
};

} // namespace

TEST_CASE("A machine whose last sends do not leave still hears of a failure") {
  const auto network = std::make_shared<ThreadNetwork>(2);
  const std::vector<Baton> batons{{{0, 1}, 1}}; // completed on rank 0, which sends it to rank 1
  const CountedShard shard{1};
  std::jthread other([&] {
    ThreadRing ring(ThreadTransport(network, 1));
    RecordingModel model(1, 2, 1);
    (void)outcome_of(
        [&] { WStep<RecordingModel, ThreadRing>(model, shard, ring, batons, {}).run(); });
    ring.fail("the Z step failed");
  });
  Ring<ClingingTransport> ring(ClingingTransport(network, 0), {.stop_after = 10});
  RecordingModel model(1, 2, 0);
  const Outcome outcome = outcome_of([&] {
    WStep<RecordingModel, Ring<ClingingTransport>>(model, shard, ring, batons, {}).run();
  });
  ring.fail("over"); // so that the other ends whatever happened
  CHECK(outcome.type == "RemoteError");
  CHECK(outcome.words == "the Z step failed");
}
