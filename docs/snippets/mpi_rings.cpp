// SPDX-License-Identifier: BSL-1.0
//
// docs/howto/mpi.md: two rings side by side on parts of the ranks. Run it as
//     mpirun -n 4 mpi_rings

#include <iostream>

#include "parmac/mpi.hpp"
#include "scalar_chain.hpp"

int main(int argc, char** argv) {
  return parmac::run_mpi(argc, argv, [](const boost::mpi::communicator& world) {
    const boost::mpi::communicator half = world.split(world.rank() % 2);

    parmac::Patience patience{.report_after = 10, .stop_after = 60};
    patience.on_stall = [](const parmac::StallReport& report) {
      std::clog << report.text() + "\n" << std::flush;
    };
    parmac::MpiRing ring{half, {.max_chunk_bytes = 1 << 20}, patience};

    ChainShard shard = chain_points(world.rank(), 50);
    Chain model;
    ChainStep step;
    parmac::Trainer trainer{model, step, ring};
    const parmac::Report report =
        trainer.fit(shard, {.penalty = parmac::GeometricPenalty{0.5, 1.2}, .max_iterations = 10});
    if (ring.rank() == 0)
      std::cout << parmac::text("ring ", world.rank() % 2, ": ", report.brief(), "\n");
    return report.info.machines == half.size() ? 0 : 1;
  });
}
