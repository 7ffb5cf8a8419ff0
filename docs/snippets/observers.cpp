// SPDX-License-Identifier: BSL-1.0
//
// docs/howto/observers.md: an observer of one's own beside those of the library.

#include <iostream>
#include <vector>

#include "scalar_chain.hpp"

namespace {

// Keeps the nested objective of every iteration.
struct Curve {
  std::vector<double> nested;
  void on_iteration(const parmac::IterationReport& i) { nested.push_back(i.nested / i.points); }
};

// Says who waits most.
struct SlowestLink {
  void on_iteration(const parmac::IterationReport& i) const {
    if (i.rank != 0) return; // called on every machine; one may speak
    std::size_t most = 0;
    for (std::size_t m = 1; m < i.machines.size(); ++m)
      if (i.machines[m].wait_seconds > i.machines[most].wait_seconds) most = m;
    std::cout << parmac::text("iteration ", i.iteration, ": machine ", most, " waited most, ",
                              i.machines[most].wait_seconds, " s\n");
  }
};

} // namespace

int main() {
  parmac::run_threads(2, [](parmac::ThreadRing& ring) {
    ChainShard shard = chain_points(ring.rank(), 50);
    Chain model;
    ChainStep step;
    parmac::Trainer trainer{model, step, ring};

    Curve curve;
    parmac::CsvLog log("iterations.csv");
    const parmac::Report report =
        trainer.fit(shard, {.penalty = parmac::GeometricPenalty{0.5, 1.2}, .max_iterations = 5},
                    curve, log, SlowestLink{}, parmac::ProgressLine(std::cout));

    parmac::require(curve.nested.size() == 5, "not told of every iteration");
    parmac::require(report.iterations.size() == 5, "iterations");
  });
}
