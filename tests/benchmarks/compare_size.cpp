// SPDX-License-Identifier: BSL-1.0
// One MAC iteration over the first few and the first many points of a large file, mapped by all
// ranks, each its own share:
//
//     mpirun -n 2 compare_size FILE.bvecs FEW MANY
//
// compares the time a point, and tells the memory: at the peak of all ranks with the pages of the
// file that the system keeps for them, and of the largest rank without those and the coordinates.
#include <algorithm>
#include <atomic>
#include <boost/mpi/collectives.hpp>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "parmac/data/open.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/mpi.hpp"
#include "ratio.hpp"

using namespace parmac;
using namespace parmac::benchmarks;
namespace mpi = boost::mpi;

namespace {

constexpr Index L = 64;
constexpr int runs = 5;

/// Bytes of a line of /proc/self/status.
double status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  throw Error("/proc/self/status has no " + name);
}

/// The largest memory that a process held itself, without pages of files, while this lived.
class MemoryWatch {
public:
  [[nodiscard]] double peak() const { return peak_; }

private:
  std::atomic<double> peak_ = status_bytes("RssAnon");
  std::jthread watcher_{[this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      peak_ = std::max(peak_.load(), status_bytes("RssAnon"));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }};
};

struct Size {
  double seconds_a_point = 0; ///< of an iteration, median
  double own = 0;             ///< bytes beyond data and Z, of the largest rank
};

Size measure(const mpi::communicator& world, const std::string& path, Index N) {
  MpiRing ring(world);
  const Points points = open_points(path, {.share = even_share(N, world.size(), world.rank())});
  BinaryAutoencoder begin(points.dimension(), L);
  BinaryShard shard(points, L);
  start(begin, shard, [&](std::span<double> values) { ring.all_sum(values); });
  std::vector<double> seconds;
  double own = 0;
  for (int run = 0; run < runs; ++run) {
    BinaryAutoencoder model = begin;
    shard.Z = model.encode(points);
    BinaryCoordinates coordinates;
    Trainer trainer{model, coordinates, ring};
    const MemoryWatch watch;
    seconds.push_back(trainer.fit(shard, {.max_iterations = 1, .final_fit = false}).seconds);
    own = std::max(own, watch.peak() - static_cast<double>(shard.Z.bytes().size()));
  }
  const double slowest = mpi::all_reduce(world, median(seconds), mpi::maximum<double>());
  return {slowest / static_cast<double>(N), mpi::all_reduce(world, own, mpi::maximum<double>())};
}

int compare(const mpi::communicator& world, const std::string& path, Index few, Index many) {
  const Size small = measure(world, path, few);
  const Size large = measure(world, path, many);
  const double peak = mpi::all_reduce(world, status_bytes("VmHWM"), std::plus<double>());
  if (world.rank() != 0) return 0;
  Comparison table;
  char name[80];
  char note[80];
  std::snprintf(name, sizeof name, "time a point: N = %.0e / N = %.0e", double(many), double(few));
  std::snprintf(note, sizeof note, "%.2f and %.2f us, L = 64, e = 1, %d ranks",
                large.seconds_a_point * 1e6, small.seconds_a_point * 1e6, world.size());
  table.at_most(name, large.seconds_a_point / small.seconds_a_point, 1.3, note);
  std::snprintf(name, sizeof name, "MiB of a rank beyond data and Z, N = %.0e", double(many));
  std::snprintf(note, sizeof note, "%.0f at N = %.0e", small.own / (1 << 20), double(few));
  table.at_most(name, large.own / (1 << 20), 256, note);
  std::snprintf(name, sizeof name, "GiB of all ranks at their peak, N = %.0e", double(many));
  table.at_most(name, peak / (1 << 30), 20, "with the pages of the file");
  return table.status();
}

} // namespace

int main(int argc, char** argv) {
  return run_mpi(argc, argv, [&](const mpi::communicator& world) {
    require(argc == 4, "usage: compare_size FILE.bvecs FEW MANY");
    return compare(world, argv[1], std::stoll(argv[2]), std::stoll(argv[3]));
  });
}
