// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "linear_mac.hpp"
#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "parmac/schedule/listed_penalty.hpp"
#include "parmac/schedule/stop/limits.hpp"
#include "parmac/train/trainer.hpp"
#include "thread_outcomes.hpp"

using namespace std::chrono_literals;
using namespace parmac;
using namespace parmac::tests;

namespace {

const std::vector<double> growing{0.1, 0.2, 0.4, 0.8, 1.6, 3.2};

FitSettings settings_for(const std::vector<double>& penalties) {
  FitSettings settings;
  settings.penalty = ListedPenalty(penalties);
  settings.max_iterations = static_cast<int>(penalties.size());
  return settings;
}

// The part of the points that a machine holds: every P-th, so that shards are uneven.
LinearShard share(const LinearShard& all, int rank, int machines) {
  LinearShard mine;
  for (std::size_t n = static_cast<std::size_t>(rank); n < all.size();
       n += static_cast<std::size_t>(machines))
    mine.push_back(all[n]);
  return mine;
}

struct Run {
  LinearModel model;
  LinearShard shard;
  Report report;
};

// Trains on P threads and returns what rank 0 has, after having seen to it that all have the same.
Run train_on_threads(int machines, const LinearShard& all, const FitSettings& settings,
                     std::chrono::microseconds delay = {}) {
  std::vector<Run> runs(static_cast<std::size_t>(machines));
  run_threads(std::make_shared<ThreadNetwork>(machines, delay, 11), [&](ThreadRing& ring) {
    Run& run = runs[static_cast<std::size_t>(ring.rank())];
    run.shard = share(all, ring.rank(), machines);
    LinearStep step;
    run.report = Trainer{run.model, step, ring}.fit(run.shard, settings);
  });
  for (const Run& run : runs) CHECK(run.model.numbers() == runs[0].model.numbers());
  return runs[0];
}

} // namespace

TEST_CASE("The closed form of the coordinates agrees with a worked example") {
  // parmac-facts 9.1: A = [[1,-1],[0.5,2]], y = (0.7, 0.2), f(x) = (0.3, 0.6), mu = 1.
  LinearWeights w;
  w.A = {{{1, -1}, {0.5, 2}}};
  const auto z = best_coordinates(w, {0.7, 0.2}, {0.3, 0.6}, 1);
  CHECK(z[0] == Approx(0.4888888889));
  CHECK(z[1] == Approx(0.05));
}

TEST_CASE("One machine trains as serial MAC does, bit for bit, and sends nothing") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const LinearShard points = linear_points(20 + seed, seed);
    LinearShard oracle_points = points;
    const SerialMac oracle(oracle_points, growing);

    SerialRing ring;
    LinearModel model;
    LinearStep step;
    LinearShard shard = points;
    const Report report = Trainer{model, step, ring}.fit(shard, settings_for(growing));

    REQUIRE(report.iterations.size() == growing.size());
    for (std::size_t i = 0; i < growing.size(); ++i) {
      CHECK(report.iterations[i].objective == oracle.objectives[i]);
      CHECK(report.iterations[i].mu == growing[i]);
      CHECK(report.iterations[i].bytes_sent() == 0);
      CHECK(report.iterations[i].messages_sent() == 0);
    }
    CHECK(model.weights().W == oracle.w.W);
    CHECK(model.weights().A == oracle.w.A);
    CHECK(report.final_nested == oracle.final_nested);
    for (std::size_t n = 0; n < points.size(); ++n) CHECK(shard[n].z == oracle_points[n].z);

    const Run threaded = train_on_threads(1, points, settings_for(growing));
    CHECK(threaded.model.numbers() == model.numbers());
  }
}

TEST_CASE("Any number of machines trains as serial MAC does, but for rounding") {
  const LinearShard points = linear_points(41, 3);
  LinearShard oracle_points = points;
  const SerialMac oracle(oracle_points, growing);
  for (int machines = 2; machines <= 7; ++machines)
    for (const bool shuffle : {false, true}) {
      FitSettings settings = settings_for(growing);
      settings.shuffle_ring = shuffle;
      const Run run = train_on_threads(machines, points, settings, 100us);
      for (std::size_t i = 0; i < growing.size(); ++i)
        CHECK(run.report.iterations[i].objective == Approx(oracle.objectives[i]).epsilon(1e-9));
      CHECK(run.report.final_nested == Approx(oracle.final_nested).epsilon(1e-9));
      for (std::size_t h = 0; h < H; ++h)
        for (std::size_t d = 0; d < D; ++d)
          CHECK(run.model.weights().W[h][d] == Approx(oracle.w.W[h][d]).epsilon(1e-7).margin(1e-9));
    }
}

TEST_CASE("With exact W and Z steps at a fixed penalty the objective never rises") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (int machines = 1; machines <= 4; ++machines) {
      const double mu = std::pow(10.0, static_cast<double>(seed % 5) - 2);
      const Run run = train_on_threads(machines, linear_points(30, seed),
                                       settings_for(std::vector<double>(15, mu)));
      double last = std::numeric_limits<double>::infinity();
      for (const IterationReport& iteration : run.report.iterations) {
        CHECK(iteration.before <= last * (1 + 1e-9));
        CHECK(iteration.objective <= iteration.before * (1 + 1e-9));
        last = iteration.objective;
      }
    }
}

TEST_CASE("Equal seeds, machines and shards give equal models, bit for bit, however messages go") {
  const LinearShard points = linear_points(33, 9);
  FitSettings settings = settings_for(growing);
  settings.epochs = 2;
  settings.shuffle_ring = true;
  for (const int machines : {2, 3, 5}) {
    const Run first = train_on_threads(machines, points, settings);
    const Run second = train_on_threads(machines, points, settings, 500us);
    CHECK(first.model.numbers() == second.model.numbers());
    CHECK(first.report.iterations.back().objective == second.report.iterations.back().objective);
  }
}

TEST_CASE("A ring can be trained on again") {
  const LinearShard points = linear_points(20, 4);
  std::vector<std::vector<double>> models;
  for (int run = 0; run < 2; ++run)
    run_threads(3, [&](ThreadRing& ring) {
      for (int time = 0; time < 2; ++time) {
        LinearModel model;
        LinearStep step;
        LinearShard shard = share(points, ring.rank(), 3);
        Trainer{model, step, ring}.fit(shard, settings_for(growing));
        if (ring.rank() == 0) models.push_back(model.numbers());
      }
    });
  REQUIRE(models.size() == 4);
  for (const auto& model : models) CHECK(model == models[0]);
}

TEST_CASE("A report tells what the run was made of and what it sent") {
  const LinearShard points = linear_points(10, 5);
  const int P = 5, e = 2;
  FitSettings settings = settings_for({1, 1});
  settings.epochs = e;
  const Run run = train_on_threads(P, points, settings);
  const RunInfo& info = run.report.info;
  CHECK(info.rank == 0);
  CHECK(info.machines == P);
  CHECK(info.points == std::vector<std::uint64_t>(5, 2));
  CHECK(info.total_points() == 10);
  CHECK(info.submodels == H + K);
  CHECK(info.batons == H + K); // one each, as there are fewer of a kind than machines
  CHECK(info.idle_machines == 1);
  CHECK(info.epochs == e);
  CHECK(run.report.stop_reason == "max_iterations = 2 is reached");
  CHECK(contains(run.report.brief(), "2 iterations on 5 machines"));
  const std::uint64_t statistics = H * (D * D + D) + K * (H * H + H);
  const std::uint64_t parameters = H * D + K * H;
  for (const IterationReport& iteration : run.report.iterations) {
    CHECK(iteration.points == 10);
    CHECK(iteration.messages_sent() == (H + K) * ((e + 1) * P - 2));
    CHECK(iteration.bytes_sent() ==
          sizeof(double) * (statistics * (e * P - 1) + parameters * (P - 1)));
    REQUIRE(iteration.machines.size() == P);
    for (const MachineReport& machine : iteration.machines) {
      CHECK(machine.passes == (H + K) * e);
      CHECK(machine.wait_seconds <= machine.w_seconds);
      CHECK(machine.z_seconds >= 0);
    }
    CHECK(iteration.seconds <= run.report.seconds);
  }
}

TEST_CASE("Machines without points take part") {
  for (const std::size_t count : {1U, 3U}) { // N < P
    const LinearShard all = linear_points(40, 6);
    std::vector<std::vector<double>> models(4);
    run_threads(4, [&](ThreadRing& ring) {
      LinearShard shard;
      if (ring.rank() >= 1 && ring.rank() <= static_cast<int>(count))
        shard = share(all, ring.rank(), 4);
      LinearModel model;
      LinearStep step;
      const Report report = Trainer{model, step, ring}.fit(shard, settings_for(growing));
      expect(report.info.points[0] == 0, "rank 0 has no points");
      models[static_cast<std::size_t>(ring.rank())] = model.numbers();
    });
    for (const auto& model : models) CHECK(model == models[0]);
  }
}

namespace {

// How each of P machines ends when every one makes its own shard and settings.
template <class Prepare>
std::vector<Outcome> outcomes_of_fit(int machines, Prepare&& prepare) {
  const LinearShard all = linear_points(20, 8);
  return thread_outcomes(machines, [&](ThreadRing& ring) {
    LinearShard shard = share(all, ring.rank(), machines);
    FitSettings settings = settings_for(growing);
    prepare(ring.rank(), shard, settings);
    LinearModel model;
    LinearStep step;
    Trainer{model, step, ring}.fit(shard, settings);
  });
}

} // namespace

TEST_CASE("Settings that differ on one machine are refused on all, and named") {
  const std::vector<std::pair<std::string, std::function<void(FitSettings&)>>> changes{
      {"max_iterations=", [](FitSettings& s) { s.max_iterations = 7; }},
      {"epochs=10", [](FitSettings& s) { s.epochs = 10; }}, // longer than the others' epochs=1
      {"local_epochs=", [](FitSettings& s) { s.local_epochs = true; }},
      {"shuffle_ring=", [](FitSettings& s) { s.shuffle_ring = true; }},
      {"batons_per_machine=", [](FitSettings& s) { s.batons_per_machine = 2; }},
      {"seed=12", [](FitSettings& s) { s.seed = 12; }},
      {"final_fit=", [](FitSettings& s) { s.final_fit = false; }},
  };
  for (const auto& [name, change] : changes)
    for (const int odd : {1, 2}) {
      const auto outcomes = outcomes_of_fit(3, [&](int rank, LinearShard&, FitSettings& settings) {
        if (rank == odd) change(settings);
      });
      const std::string key = name.substr(0, name.find('=') + 1);
      for (const Outcome& outcome : outcomes) {
        INFO(name << " on rank " << odd << ": " << outcome.words);
        // Whoever sees it first may tell the others before they do.
        CHECK((outcome.type == "ConfigError" || outcome.type == "RemoteError"));
        CHECK(contains(outcome.words, "'" + name));
        CHECK(contains(outcome.words, "rank 0 has '" + key));
        CHECK(contains(outcome.words, text("rank ", odd, " has '", key)));
      }
    }
}

TEST_CASE("Numbers out of their range are refused") {
  for (const auto change :
       {+[](FitSettings& s) { s.max_iterations = 0; }, +[](FitSettings& s) { s.epochs = 0; },
        +[](FitSettings& s) { s.epochs = -1; },
        +[](FitSettings& s) { s.batons_per_machine = 0; }}) {
    const auto outcomes =
        outcomes_of_fit(2, [&](int, LinearShard&, FitSettings& settings) { change(settings); });
    CHECK(outcomes[0].type == "ConfigError");
    CHECK(contains(outcomes[0].words, "must be at least 1"));
  }
}

TEST_CASE("No points on any machine is refused") {
  for (const int machines : {1, 3}) {
    const auto outcomes =
        outcomes_of_fit(machines, [](int, LinearShard& shard, FitSettings&) { shard.clear(); });
    for (const Outcome& outcome : outcomes) {
      CHECK((outcome.type == "DataError" || outcome.type == "RemoteError"));
      CHECK(contains(outcome.words, "no points"));
    }
  }
}

TEST_CASE("Penalties that are no positive rising numbers are refused, and the iteration named") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, 0.9, nan, infinity}) {
    const auto outcomes = outcomes_of_fit(3, [&](int, LinearShard&, FitSettings& settings) {
      settings.penalty = [bad](int i) { return i == 2 ? bad : 1.0; };
    });
    for (const Outcome& outcome : outcomes) {
      CHECK((outcome.type == "ConfigError" || outcome.type == "RemoteError"));
      CHECK(contains(outcome.words, "in iteration 2 after 1"));
    }
  }
}

TEST_CASE("A stopping rule that does not say the same on all machines is refused, and named") {
  const auto outcomes = outcomes_of_fit(3, [&](int rank, LinearShard&, FitSettings& settings) {
    settings.stop = MaxIterations{rank == 2 ? 1 : 3};
  });

  for (const Outcome& outcome : outcomes)
    CHECK(contains(outcome.words,
                   "after iteration 0 the stopping rule of rank 0 says go on, that of rank 2"));
}

TEST_CASE("Penalties that differ between machines are refused, with both of them") {
  const auto outcomes = outcomes_of_fit(3, [&](int rank, LinearShard&, FitSettings& settings) {
    settings.penalty = [rank](int i) { return i == 1 && rank == 2 ? 3.0 : 1.0; };
  });
  for (const Outcome& outcome : outcomes) {
    CHECK((outcome.type == "ConfigError" || outcome.type == "RemoteError"));
    CHECK(contains(outcome.words, "rank 0 has the penalty 1 in iteration 1, rank 2 has 3"));
  }
}

namespace {

struct EmptyModel {
  using shard_type = LinearShard;
  [[nodiscard]] std::size_t size() const { return 0; }
  std::span<double> parameters(SubmodelRange) { return {}; }
  void train(SubmodelRange, const LinearShard&, const Visit&) {}
};
struct NoStep {
  CoordinateReport update(const EmptyModel&, LinearShard&, double) { return {}; }
};

// Throws, on one machine in one iteration, in one of the parts that are the user's.
enum class Part {
  train,
  finish,
  update,
  observer_start,
  observer,
  observer_finish,
  rule,
  penalty,
  none
};

struct Faulty {
  Part part = Part::none;
  int here = 0;
  int iteration = 0;
  void at(Part now, int i) const {
    if (now == part && i == iteration) throw std::out_of_range(text("thrown on rank ", here));
  }
};
struct FaultyModel : LinearModel {
  Faulty faulty;
  mutable int iteration = 0;
  void train(SubmodelRange r, const LinearShard& shard, const Visit& visit) {
    iteration = visit.iteration;
    faulty.at(Part::train, visit.iteration);
    LinearModel::train(r, shard, visit);
  }
  void finish(SubmodelRange r) {
    faulty.at(Part::finish, iteration);
    LinearModel::finish(r);
  }
};
struct FaultyStep : LinearStep {
  CoordinateReport update(const FaultyModel& model, LinearShard& shard, double mu) {
    model.faulty.at(Part::update, model.iteration);
    return LinearStep::update(model, shard, mu);
  }
  CoordinateReport project(const FaultyModel& model, LinearShard& shard) {
    return LinearStep::project(model, shard);
  }
};
struct FaultyObserver {
  const Faulty& faulty;
  void on_start(const RunInfo&) const { faulty.at(Part::observer_start, faulty.iteration); }
  void on_iteration(const IterationReport& i) const { faulty.at(Part::observer, i.iteration); }
  void on_finish(const Report&) const { faulty.at(Part::observer_finish, faulty.iteration); }
};

} // namespace

TEST_CASE("A model without submodels is refused") {
  const auto outcomes = thread_outcomes(2, [](ThreadRing& ring) {
    EmptyModel model;
    NoStep step;
    LinearShard shard = linear_points(3, 1);
    Trainer{model, step, ring}.fit(shard);
  });
  for (const Outcome& outcome : outcomes) {
    CHECK((outcome.type == "ConfigError" || outcome.type == "RemoteError"));
    CHECK(contains(outcome.words, "no submodels"));
  }
}

TEST_CASE("What one machine throws in any part ends all, and names it") {
  const LinearShard all = linear_points(20, 8);
  for (const Part part : {Part::train, Part::finish, Part::update, Part::observer_start,
                          Part::observer, Part::rule, Part::penalty})
    for (const int failing : {0, 2})
      for (const int iteration : {0, 2}) {
        const auto outcomes = thread_outcomes(4, [&](ThreadRing& ring) {
          FaultyModel model;
          if (ring.rank() == failing) model.faulty = {part, failing, iteration};
          FaultyStep step;
          LinearShard shard = share(all, ring.rank(), 4);
          FitSettings settings = settings_for(growing);
          const Faulty& faulty = model.faulty;
          settings.stop = [&](const IterationReport& i) {
            faulty.at(Part::rule, i.iteration);
            return std::optional<std::string>();
          };
          settings.penalty = [&](int i) {
            faulty.at(Part::penalty, i);
            return 1.0;
          };
          Trainer{model, step, ring}.fit(shard, settings, FaultyObserver{faulty});
        });
        for (int rank = 0; rank < 4; ++rank) {
          const Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
          INFO("part " << static_cast<int>(part) << " failing " << failing << " rank " << rank);
          CHECK(outcome.type == (rank == failing ? "std::exception" : "RemoteError"));
          CHECK(outcome.remote_rank == (rank == failing ? -1 : failing));
          CHECK(outcome.words == text("thrown on rank ", failing));
        }
      }
}

TEST_CASE("What one machine throws when the run is over reaches its caller") {
  const LinearShard all = linear_points(20, 8);
  const auto outcomes = thread_outcomes(2, [&](ThreadRing& ring) {
    FaultyModel model;
    if (ring.rank() == 1) model.faulty = {Part::observer_finish, 1, 0};
    FaultyStep step;
    LinearShard shard = share(all, ring.rank(), 2);
    Trainer{model, step, ring}.fit(shard, settings_for(growing), FaultyObserver{model.faulty});
  });
  CHECK(outcomes[1].words == "thrown on rank 1");
}

TEST_CASE("An objective that is not finite is refused, and the iteration named") {
  const auto outcomes = outcomes_of_fit(2, [&](int rank, LinearShard& shard, FitSettings&) {
    if (rank == 1) shard[0].y[0] = 1e200; // its square is infinite
  });
  for (const Outcome& outcome : outcomes) {
    CHECK((outcome.type == "NumericalError" || outcome.type == "RemoteError"));
    CHECK(contains(outcome.words, "iteration 0"));
  }
}

TEST_CASE("Without a projection there is no final fit") {
  struct OnlyUpdate {
    CoordinateReport update(const LinearModel& model, LinearShard& shard, double mu) {
      return LinearStep{}.update(model, shard, mu);
    }
  };
  LinearModel model;
  OnlyUpdate step;
  LinearShard shard = linear_points(12, 2);
  CHECK(std::isnan(
      Trainer(model, step, SerialRing{}).fit(shard, settings_for(growing)).final_nested));

  LinearStep full;
  FitSettings settings = settings_for(growing);
  settings.final_fit = false;
  CHECK(std::isnan(Trainer(model, full, SerialRing{}).fit(shard, settings).final_nested));
}

TEST_CASE("The final fit does not make the nested objective worse than the output layer can") {
  const LinearShard points = linear_points(30, 12);
  const Run run = train_on_threads(3, points, settings_for(growing));
  // The refit output layer is the best for the hidden layer it has: no other does better.
  const LinearWeights best = run.model.weights();
  double total = 0;
  for (const LinearPoint& p : points) total += best.misfit(best.hidden(p.x), p.y);
  CHECK(run.report.final_nested == Approx(total));
  RandomStream random(1);
  for (int i = 0; i < 50; ++i) {
    LinearWeights other = best;
    for (auto& row : other.A)
      for (double& a : row) a += 0.05 * random.normal();
    double worse = 0;
    for (const LinearPoint& p : points) worse += other.misfit(other.hidden(p.x), p.y);
    CHECK(worse >= total);
  }
}

TEST_CASE("A run ends at max_iterations at the latest, and earlier where the rule says so") {
  LinearModel model;
  LinearStep step;
  LinearShard shard = linear_points(12, 2);
  FitSettings settings = settings_for(growing);
  settings.stop = MaxIterations{3};
  Report report = Trainer{model, step, SerialRing{}}.fit(shard, settings);
  CHECK(report.iterations.size() == 3);
  CHECK(report.stop_reason == "the limit of 3 iterations is reached");
  settings.stop = MaxIterations{30};
  report = Trainer{model, step, SerialRing{}}.fit(shard, settings);
  CHECK(report.iterations.size() == growing.size());
  CHECK(report.stop_reason == "max_iterations = 6 is reached");
}

TEST_CASE("Every observer is told of every iteration, on every machine") {
  struct Counter {
    int starts = 0, iterations = 0, finishes = 0;
    void on_start(const RunInfo&) { ++starts; }
    void on_iteration(const IterationReport& i) {
      expect(i.iteration == iterations++, "out of order");
    }
    void on_finish(const Report& r) {
      expect(static_cast<int>(r.iterations.size()) == iterations, "some are missing");
      ++finishes;
    }
  };
  const LinearShard all = linear_points(20, 8);
  run_threads(3, [&](ThreadRing& ring) {
    Counter one, two;
    LinearModel model;
    LinearStep step;
    LinearShard shard = share(all, ring.rank(), 3);
    Trainer{model, step, ring}.fit(shard, settings_for(growing), one, two);
    for (const Counter& c : {one, two})
      expect(c.starts == 1 && c.finishes == 1 && c.iterations == 6, "not told of all");
  });
}
