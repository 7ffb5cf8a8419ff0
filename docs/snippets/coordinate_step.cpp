// SPDX-License-Identifier: BSL-1.0
//
// docs/howto/coordinate_step.md: checks the Z step of scalar_chain.hpp and trains with it.

#include "parmac/testing/check_coordinate_step.hpp"

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "scalar_chain.hpp"

int main() {
  Chain model;
  ChainStep step;
  ChainShard empty;
  const std::vector<std::string> broken = parmac::testing::check_coordinate_step(
      model, step, [] { return chain_points(0, 20); }, empty, /*mu=*/0.5);
  for (const std::string& sentence : broken) std::cout << sentence << "\n";
  parmac::require(broken.empty(), "laws are broken");

  parmac::run_threads(3, [](parmac::ThreadRing& ring) {
    ChainShard shard = chain_points(ring.rank(), 50);
    Chain chain;
    ChainStep z_step;
    parmac::Trainer trainer{chain, z_step, ring};
    const parmac::Report report =
        trainer.fit(shard, {.penalty = parmac::GeometricPenalty{0.5, 1.2}, .max_iterations = 30});
    if (ring.rank() == 0)
      std::cout << "a b = " << chain.weights[0] * chain.weights[1] << "\n" << report.brief() + "\n";
    parmac::require(std::abs(chain.weights[0] * chain.weights[1] - 3) < 1e-3, "a b is not 3");
  });
}
