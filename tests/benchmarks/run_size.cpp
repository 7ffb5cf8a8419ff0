// SPDX-License-Identifier: BSL-1.0
// One MAC iteration over the first points of a large file, mapped by all ranks, each its own share:
//
//     mpirun -n 2 run_size FILE.bvecs POINTS
//
// prints seconds a point, and the memory of all ranks: at its peak with the pages of the file that
// the system keeps for them, and without those and the coordinates.
#include <sys/resource.h>

#include <boost/mpi/collectives.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "parmac/data/open.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/mpi.hpp"

using namespace parmac;
namespace mpi = boost::mpi;

namespace {

constexpr Index L = 64;

/// Bytes of a line of /proc/self/status.
double status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  throw Error("/proc/self/status has no " + name);
}

void run(const mpi::communicator& world, const std::string& path, Index N) {
  MpiRing ring(world);
  const Points points = open_points(path, {.share = even_share(N, world.size(), world.rank())});
  const auto all_sum = [&](std::span<double> values) { ring.all_sum(values); };
  BinaryAutoencoder model(points.dimension(), L);
  BinaryShard shard(points, L);
  start(model, shard, all_sum);
  BinaryCoordinates coordinates;
  Trainer trainer{model, coordinates, ring};
  const Report report = trainer.fit(shard, {.max_iterations = 1, .final_fit = false});

  // Anonymous memory is what the process itself holds; pages of the file come on top of it.
  const double own = status_bytes("RssAnon") - static_cast<double>(shard.Z.bytes().size());
  const double peak = mpi::all_reduce(world, status_bytes("VmHWM"), std::plus<double>());
  const double largest = mpi::all_reduce(world, own, mpi::maximum<double>());
  if (world.rank() == 0)
    std::printf("%lld points: %.4g us a point, peak memory of all ranks %.2f GiB, largest rank "
                "beyond data and Z %.0f MiB\n",
                static_cast<long long>(N), report.seconds / static_cast<double>(N) * 1e6,
                peak / (1 << 30), largest / (1 << 20));
}

} // namespace

int main(int argc, char** argv) {
  return run_mpi(argc, argv, [&](const mpi::communicator& world) {
    require(argc == 3, "usage: run_size FILE.bvecs POINTS");
    run(world, argv[1], std::stoll(argv[2]));
    return 0;
  });
}
