// SPDX-License-Identifier: BSL-1.0
// A run in which one rank fails or sleeps: fault_program CASE RANK. fault_driver.cmake judges it.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "linear_mac.hpp"
#include "parmac/mpi.hpp"

namespace {

using namespace parmac;
using namespace parmac::tests;

struct Fault {
  std::string where;
  int rank = 0;
  void at(const std::string& place, int here) const {
    if (here != rank || place != where) return;
    if (place == "late") { // longer than report_after
      std::this_thread::sleep_for(std::chrono::milliseconds(1200));
      return;
    }
    if (place == "stall") // longer than anybody waits
      for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
    throw std::runtime_error("broken on purpose in " + where);
  }
};

struct Model : LinearModel {
  Fault fault;
  int rank = 0;
  void train(SubmodelRange range, const LinearShard& shard, const Visit& visit) {
    rank = visit.rank;
    if (visit.iteration == 1 && visit.first())
      for (const char* place : {"train", "stall", "late"}) fault.at(place, rank);
    LinearModel::train(range, shard, visit);
  }
};
struct Step : LinearStep {
  CoordinateReport update(const Model& model, LinearShard& shard, double mu) {
    if (mu > 1) model.fault.at("update", model.rank);
    return LinearStep::update(model, shard, mu);
  }
  CoordinateReport project(const Model& model, LinearShard& shard) {
    return LinearStep::project(model, shard);
  }
};
struct Watcher {
  const Fault& fault;
  void on_iteration(const IterationReport& iteration) const {
    fault.at("observer", iteration.rank);
  }
};

void train(const boost::mpi::communicator& world, const Fault& fault) {
  fault.at("reader", world.rank()); // before anybody has met in a ring
  MpiRing ring(world, {}, {.report_after = 0.4, .stop_after = fault.where == "stall" ? 1.5 : 0.0});
  LinearShard shard = together(ring, [&] {
    fault.at("together", ring.rank());
    return linear_points(20, static_cast<std::uint64_t>(ring.rank()));
  });
  Model model;
  model.fault = fault;
  Step step;
  Trainer{model, step, ring}.fit(shard, {.penalty = GeometricPenalty(1, 2), .max_iterations = 4},
                                 Watcher{model.fault});
  if (ring.rank() == 0) std::cout << "trained\n";
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Fault fault{argv[1], std::atoi(argv[2])};
  std::unique_ptr<MpiRing> ring; // outlives MPI
  return run_mpi(argc, argv, [&](const boost::mpi::communicator& world) {
    if (fault.where == "finalized") ring = std::make_unique<MpiRing>(world);
    train(world, fault);
  });
}
