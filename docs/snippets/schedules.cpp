// SPDX-License-Identifier: BSL-1.0
//
// docs/howto/schedules.md: penalties and stopping rules of one's own.

#include <cmath>
#include <iostream>
#include <optional>
#include <string>

#include "scalar_chain.hpp"

namespace {

// Stays at each penalty for some iterations, then doubles it.
struct Stairs {
  double first = 0.5;
  int width = 3;
  double operator()(int iteration) const { return first * std::pow(2.0, iteration / width); }
};

// Stops when the model is good enough.
struct GoodEnough {
  double nested_per_point;
  std::optional<std::string> operator()(const parmac::IterationReport& i) const {
    if (i.nested > nested_per_point * i.points) return std::nullopt;
    return parmac::text("the nested objective is below ", nested_per_point, " a point");
  }
};

} // namespace

int main() {
  parmac::run_threads(2, [](parmac::ThreadRing& ring) {
    ChainShard shard = chain_points(ring.rank(), 50);
    const ChainShard held_out = chain_points(10 + ring.rank(), 20); // each machine its own
    Chain model;
    ChainStep step;
    parmac::Trainer trainer{model, step, ring};

    const auto score = [&] { // the larger, the better; the same on all machines
      double error = 0;
      for (std::size_t n = 0; n < held_out.size(); ++n)
        error += std::pow(held_out.y[n] - model.weights[0] * model.weights[1] * held_out.x[n], 2);
      ring.all_sum(std::span(&error, 1));
      return -error;
    };

    const parmac::AnyOf stop(GoodEnough{1e-6}, parmac::Validation(score, 3), parmac::TimeLimit{60});
    const parmac::Report report =
        trainer.fit(shard, {.penalty = Stairs{}, .stop = stop, .max_iterations = 100});
    if (ring.rank() == 0) std::cout << report.brief() + "\n";
    parmac::require(report.iterations.size() < 100, "no rule has stopped the run");

    // A penalty may be a lambda, too; this one is constant.
    trainer.fit(shard, {.penalty = [](int) { return 10.0; }, .max_iterations = 2});
  });
}
