// SPDX-License-Identifier: BSL-1.0
// Trains on the points 1 .. 10, every P-th on a machine, and prints what has been learnt.
#include <iostream>

#include <parmac/ring/serial/serial_ring.hpp>
#include <parmac/train/trainer.hpp>
#ifdef WITH_MPI
#include <parmac/ring/mpi/mpi_ring.hpp>
#include <parmac/ring/mpi/run_mpi.hpp>
#endif

#include "means.hpp"

template <class Machines>
void train(Machines& machines) {
  Points points;
  for (int n = machines.rank(); n < 10; n += machines.size()) points.x.push_back(n + 1);
  Means model;
  Distances step;
  parmac::Trainer{model, step, machines}.fit(points, {.max_iterations = 2});
  if (machines.rank() == machines.size() - 1)
    std::cout << "mean " << model.parameters({2, 3})[0] << '\n';
}

#ifdef WITH_MPI
int main(int argc, char** argv) {
  return parmac::run_mpi(argc, argv, [](const boost::mpi::communicator& world) {
    parmac::MpiRing machines(world);
    train(machines);
  });
}
#else
int main() {
  parmac::SerialRing machines;
  train(machines);
}
#endif
