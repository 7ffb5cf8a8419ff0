// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <boost/mpi/communicator.hpp>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "linear_mac.hpp"
#include "parmac/mpi.hpp"
#include "ring_suite.hpp"
#include "w_step_models.hpp"
#include "w_step_suite.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

const boost::mpi::communicator& world() {
  static const boost::mpi::communicator all;
  return all;
}

// The settings under which the whole suite runs; the environment may ask for synchronous sends.
MpiSettings settings() {
  MpiSettings chosen;
  chosen.synchronous_sends = std::getenv("PARMAC_TEST_SYNCHRONOUS") != nullptr;
  return chosen;
}

} // namespace

TEST_CASE("Sums and gathers are right over MPI") {
  MpiRing ring(world(), settings());
  check_collectives(ring, 200);
}

TEST_CASE("All ranks send at once, with payloads around the eager limit and far above") {
  MpiRing ring(world(), settings());
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{4000}, std::size_t{4095},
        std::size_t{4096}, std::size_t{4097}, std::size_t{65535}, std::size_t{65537},
        std::size_t{1} << 20})
    check_exchange(ring, bytes);
  if (ring.size() <= 4) check_exchange(ring, std::size_t{64} << 20);
}

TEST_CASE("Payloads travel in chunks where they are longer than the limit") {
  MpiSettings small = settings();
  small.max_chunk_bytes = 1024;
  MpiRing ring(world(), small);
  for (const std::size_t bytes : {1U, 1023U, 1024U, 1025U, 2047U, 2048U, 2049U, 100003U})
    check_exchange(ring, bytes);
  check_collectives(ring, 40);
  small.max_chunk_bytes = 1; // a message a byte
  MpiRing slow(world(), small);
  for (const std::size_t bytes : {1U, 2U, 300U}) check_exchange(slow, bytes);
}

TEST_CASE("A chunk limit that MPI cannot count, or of nothing, is refused") {
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1} << 31, ~std::uint64_t{0}}) {
    MpiSettings bad;
    bad.max_chunk_bytes = limit;
    CHECK_THROWS_AS(MpiRing(world(), bad), ConfigError);
  }
  MpiSettings largest;
  largest.max_chunk_bytes = (std::uint64_t{1} << 31) - 1;
  CHECK_NOTHROW(MpiRing(world(), largest));
}

TEST_CASE("Every submodel is trained e times on every rank and comes home to all") {
  MpiRing ring(world(), settings());
  check_w_steps(ring, uneven_points(ring.size()));
}

TEST_CASE("Statistics, kinds and archives travel over MPI") {
  MpiRing ring(world(), settings());
  const std::vector<std::size_t> points = uneven_points(ring.size());
  for (const bool local : {false, true})
    for (const bool shuffle : {false, true}) {
      const WStepSettings step{.visits = {2, local, shuffle}};
      check_statistics(ring, 7, points, step);
      check_epochs_of_kinds(ring, 4, 7, points, step);
      check_archives(ring, 7, points, step);
    }
}

namespace {

// Trains on any ring, and returns the weights and the last objective.
template <Topology Machines>
std::vector<double> trained(Machines& ring) {
  LinearModel model;
  LinearStep step;
  LinearShard shard = linear_points(static_cast<std::size_t>(5 + 3 * ring.rank()),
                                    static_cast<std::uint64_t>(40 + ring.rank()));
  FitSettings fit;
  fit.penalty = GeometricPenalty(0.1, 2);
  fit.max_iterations = 6;
  fit.epochs = 2;
  fit.shuffle_ring = true;
  const Report report = Trainer{model, step, ring}.fit(shard, fit);
  std::vector<double> numbers = model.numbers();
  numbers.push_back(report.iterations.back().objective);
  numbers.push_back(report.final_nested);
  return numbers;
}

} // namespace

TEST_CASE("Ranks of MPI and threads train bitwise the same model") {
  MpiRing ring(world(), settings());
  const std::vector<double> mine = trained(ring);
  std::vector<double> on_threads;
  run_threads(world().size(), [&](ThreadRing& threads) {
    const std::vector<double> numbers = trained(threads);
    if (threads.rank() == 0) on_threads = numbers;
  });
  CHECK(mine == on_threads);
  CHECK(trained(ring) == on_threads); // and again in the same process, on the same ring
}

TEST_CASE("Rings on parts of the ranks do not disturb each other") {
  const boost::mpi::communicator part = world().split(world().rank() % 2);
  MpiRing small(part, settings());
  MpiRing all(world(), settings());
  CHECK(small.size() == part.size());
  for (std::uint64_t round = 0; round < 5; ++round) {
    check_sum(all, round, 50);
    check_collectives(small, 10);
    check_w_step(small, 5, uneven_points(small.size()), {.visits = {.epochs = 2}});
    check_gather(all, round);
  }
}

TEST_CASE("Other messages on the same communicator are left alone") {
  MpiRing ring(world(), settings());
  const int next = (world().rank() + 1) % world().size();
  const int before = (world().rank() + world().size() - 1) % world().size();
  std::vector<boost::mpi::request> requests;
  const int sent = world().rank();
  for (const int tag : {1, 2}) requests.push_back(world().isend(next, tag, sent));
  check_collectives(ring, 20);
  for (const int tag : {2, 1}) {
    int received = -1;
    world().recv(before, tag, received);
    CHECK(received == before);
  }
  boost::mpi::wait_all(requests.begin(), requests.end());
}

TEST_CASE("A rank that fails in training ends the run on all, and the next ring is sound") {
  struct Failing : LinearModel {
    void train(SubmodelRange range, const LinearShard& shard, const Visit& visit) {
      if (visit.rank == 1 && visit.iteration == 1) throw std::runtime_error("broken on purpose");
      LinearModel::train(range, shard, visit);
    }
  };
  if (world().size() == 1) return;
  for (int time = 0; time < 3; ++time) {
    {
      MpiRing ring(world(), settings());
      Failing model;
      LinearStep linear;
      struct Step {
        LinearStep& step;
        CoordinateReport update(const Failing& m, LinearShard& s, double mu) {
          return step.update(m, s, mu);
        }
      } step{linear};
      LinearShard shard = linear_points(20, static_cast<std::uint64_t>(ring.rank()));
      const Outcome outcome = outcome_of([&] { Trainer{model, step, ring}.fit(shard); });
      CHECK(outcome.words == "broken on purpose");
      CHECK(outcome.type == (ring.rank() == 1 ? "std::exception" : "RemoteError"));
      CHECK(outcome.remote_rank == (ring.rank() == 1 ? -1 : 1));
    }
    MpiRing next(world(), settings());
    check_collectives(next, 10);
  }
}

TEST_CASE("A submodel that is not finite is refused where it arose, and all ranks learn of it") {
  struct Exploding : RecordingModel {
    using RecordingModel::RecordingModel;
    void train(SubmodelRange range, const CountedShard& shard, const Visit& visit) {
      RecordingModel::train(range, shard, visit);
      if (visit.rank == static_cast<int>(visit.seed))
        parameters(range)[0] = std::numeric_limits<double>::infinity();
    }
  };
  MpiRing ring(world(), settings());
  const int last = ring.size() - 1;
  const std::vector<Baton> batons{{{0, 2}, 0}};
  Exploding model(2, static_cast<std::size_t>(ring.size()), 0);
  const CountedShard shard{1};
  const Outcome outcome = outcome_of([&] {
    try {
      WStep<Exploding, MpiRing>(model, shard, ring, batons,
                                {.seed = static_cast<std::uint64_t>(last)})
          .run();
    } catch (const NumericalError& error) {
      ring.fail(error.what());
      throw;
    }
  });
  CHECK(outcome.type == (ring.rank() == last ? "NumericalError" : "RemoteError"));
  CHECK(contains(outcome.words, text("after training on rank ", last)));
}

TEST_CASE("A ring can be moved") {
  MpiRing first(world(), settings());
  check_collectives(first, 5);
  MpiRing second(std::move(first));
  check_collectives(second, 5);
}
