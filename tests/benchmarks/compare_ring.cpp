// SPDX-License-Identifier: BSL-1.0
// What a ring costs. Under `mpirun -n 2`: two ranks that train together against two that train
// alone at the same time, half of the points each, and against one. With --costs, under any number
// of ranks: a line with the CPU time and the bytes of that many.
#include <sys/resource.h>

#include <Eigen/Core>
#include <boost/mpi/collectives.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "parmac/data/open.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/mpi.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "ratio.hpp"

using namespace parmac;
using namespace parmac::benchmarks;
namespace mpi = boost::mpi;

namespace {

constexpr Index L = 64;

/// N points like those of a file, each one of them with a little noise.
Points points_like(const Points& real, Index N) {
  RandomStream random(11);
  Eigen::MatrixXf x(real.dimension(), 1);
  ByteMatrix X(real.dimension(), N);
  for (Index n = 0; n < N; ++n) {
    real.load(static_cast<Index>(random.below(static_cast<std::uint64_t>(real.size()))), x);
    for (Index d = 0; d < X.rows(); ++d) {
      const float noise = static_cast<float>(random.word() >> 29) - 3.5F;
      X(d, n) = static_cast<std::uint8_t>(std::clamp(x(d) + noise, 0.0F, 255.0F));
    }
  }
  return Points(std::move(X));
}

Points part_of(const Points& points, int ranks, int rank) {
  const Share share = even_share(points.size(), ranks, rank);
  return points.slice(share.first, share.count);
}

/// A model and a shard before the first iteration, to begin from as often as wanted.
struct Start {
  Start(const Points& points, MpiRing& ring) : model(points.dimension(), L), shard(points, L) {
    start(model, shard, [&](std::span<double> values) { ring.all_sum(values); });
  }
  /// The same model with the share of one of several machines.
  [[nodiscard]] Start part(int machines, int machine) const {
    Start share = *this;
    share.shard = BinaryShard(part_of(shard.points, machines, machine), L);
    share.shard.Z = model.encode(share.shard.points);
    return share;
  }
  BinaryAutoencoder model;
  BinaryShard shard;
};

/// One MAC iteration of e = 2.
template <class Machines>
Report iterate(const Start& from, Machines& ring) {
  BinaryAutoencoder model = from.model;
  BinaryShard shard = from.shard;
  BinaryCoordinates coordinates;
  Trainer trainer{model, coordinates, ring};
  return trainer.fit(shard, {.max_iterations = 1, .epochs = 2, .final_fit = false});
}

/// Waits for all without keeping a core busy.
void meet(const mpi::communicator& world) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world, &request);
  for (int done = 0; done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

/// Seconds that `work` takes until the last rank is through.
template <class Work>
double seconds_of_all(const mpi::communicator& world, Work&& work) {
  meet(world);
  const double mine = seconds(work);
  meet(world);
  return mpi::all_reduce(world, mine, mpi::maximum<double>());
}

/// Seconds of one message of so many bytes from rank to rank.
double hop_seconds(const mpi::communicator& world, std::size_t bytes) {
  std::vector<char> message(bytes);
  const int other = 1 - world.rank();
  constexpr int hops = 200;
  return seconds_of_all(world,
                        [&] {
                          for (int hop = 0; hop < hops; ++hop)
                            if ((hop + world.rank()) % 2 == 0)
                              world.send(other, 1, message.data(), static_cast<int>(bytes));
                            else
                              world.recv(other, 1, message.data(), static_cast<int>(bytes));
                        }) /
         hops;
}

/// What rank 0 leaves with: 1 when a bar was missed.
int two_ranks(const mpi::communicator& world, const Options& options) {
  const Index N = 1000000;
  const Points all = points_like(open_points(options.data + "/sift_learn.bvecs"), N);
  const Points half = part_of(all, world.size(), world.rank());
  MpiRing together(world);
  MpiRing alone(mpi::communicator(MPI_COMM_SELF, mpi::comm_duplicate));
  const Start halves(half, together);
  const Start own(half, alone);
  const Start whole(all, alone);
  const Start of_threads[2] = {whole.part(2, 0), whole.part(2, 1)};

  Eigen::MatrixXf A = Eigen::MatrixXf::Random(256, 256);
  Eigen::MatrixXf B = A;
  Eigen::MatrixXf C = A;
  const auto sgemm = [&] {
    for (int i = 0; i < 2000; ++i) C.noalias() = A * B;
  };
  const auto only_first = [&](auto&& work) {
    return [&world, work] {
      if (world.rank() == 0) work();
    };
  };
  Report report;
  std::vector<double> both, each, one, threads, products;
  for (int run = 0; run < (options.quick ? 5 : 9); ++run) {
    const double a = seconds_of_all(world, [&] { report = iterate(halves, together); });
    const double b = seconds_of_all(world, [&] { (void)iterate(own, alone); });
    const double c = seconds_of_all(world, only_first([&] { (void)iterate(whole, alone); }));
    const double d = seconds_of_all(world, only_first([&] {
                                      run_threads(2, [&](ThreadRing& ring) {
                                        const auto r = static_cast<std::size_t>(ring.rank());
                                        (void)iterate(of_threads[r], ring);
                                      });
                                    }));
    const double s1 = seconds_of_all(world, only_first(sgemm));
    const double s2 = seconds_of_all(world, sgemm);
    both.push_back(b / a);
    each.push_back(a);
    one.push_back(c / a);
    threads.push_back(c / d);
    products.push_back(2 * s1 / s2);
  }
  const IterationReport& last = report.iterations.back();
  const double messages = static_cast<double>(last.messages_sent()) / world.size();
  const double hop = hop_seconds(world, last.bytes_sent() / last.messages_sent());
  if (world.rank() != 0) return 0;
  Comparison table;
  char note[160];
  std::snprintf(note, sizeof note, "N = %ld, L = 64, e = 2: %.2f s an iteration", long(N),
                median(each));
  table.at_least("2 ranks together / 2 alone at the same time", median(both), 0.95, note);
  std::snprintf(note, sizeof note, "%.0f messages a rank of %.0f bytes, %.1f us each", messages,
                static_cast<double>(last.bytes_sent()) / messages / world.size(), hop * 1e6);
  table.at_most("share of communication in that time", messages * hop / median(each), 0.01, note);
  table.tell("2 ranks / 1 rank", median(one), "the same points");
  table.tell("2 threads / 1 thread", median(threads), "the same points");
  table.tell("2 sgemm side by side / 1", median(products), "what the machine gives two");
  return table.status();
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto in_seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

void costs(const mpi::communicator& world, const Options& options) {
  const Index N = 65536;
  const Points all = points_like(open_points(options.data + "/sift_learn.bvecs"), N);
  const Points share = part_of(all, world.size(), world.rank());
  MpiRing ring(world);
  const Start from(share, ring);
  meet(world);
  const double before = cpu_seconds();
  const Report report = iterate(from, ring);
  const double cpu = cpu_seconds() - before;
  meet(world);
  const double sum = mpi::all_reduce(world, cpu, std::plus<double>());
  const double most = mpi::all_reduce(world, cpu, mpi::maximum<double>());
  if (world.rank() == 0)
    std::printf("%5d ranks  CPU seconds: sum %8.3f  largest %8.3f   bytes sent %12lld\n",
                world.size(), sum, most,
                static_cast<long long>(report.iterations.back().bytes_sent()));
}

} // namespace

int main(int argc, char** argv) {
  return run_mpi(argc, argv, [&](const mpi::communicator& world) {
    const Options options(argc, argv);
    if (!options.costs) return two_ranks(world, options);
    costs(world, options);
    return 0;
  });
}
