// SPDX-License-Identifier: BSL-1.0
//
// One code of bits of different kinds: linear ones that see the whole descriptor, linear ones that
// see a quarter of it each, and ones with radial basis functions. Beside it, as many plain bits,
// and how much work and waiting each machine had. Run it as
//     mixed_autoencoder     mixed_autoencoder --threads 4     mpirun -n 4 mixed_autoencoder
// On the descriptors it was given it printed, with --threads 4:
//     plain bits  unexplained 0.410  recall@10 0.698  recall@100 0.907
//                 W step 0.012 s, of which waiting 0.007 s
//                 W step 0.009 s, of which waiting 0.004 s
//                 W step 0.008 s, of which waiting 0.003 s
//                 W step 0.012 s, of which waiting 0.007 s
//     mixed bits  unexplained 0.478  recall@10 0.557  recall@100 0.890

#include <CLI/CLI.hpp>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/models/mixed_autoencoder.hpp"
#include "parmac/mpi.hpp"
#include "parmac/solvers/rbf_features.hpp"
#include "where.hpp"

using parmac::Index;

struct Options {
  std::string data = PARMAC_EXAMPLE_DATA "/sift_";
  std::string learn = data + "learn.bvecs", base = data + "base.bvecs";
  std::string query = data + "query.bvecs", truth = data + "groundtruth.ivecs";
  Index whole = 16, quarter = 2, radial = 8, centres = 256; // bits of each kind
  int threads = 1, iterations = 20;
};

template <class Ring>
void run(Ring& ring, const Options& options) {
  const Index N = parmac::describe(options.learn).points;
  const parmac::Share share = parmac::even_share(N, ring.size(), ring.rank());
  const parmac::Points points = parmac::open_points(options.learn, {.share = share});
  const parmac::Points base = parmac::open_points(options.base);
  const parmac::Points query = parmac::open_points(options.query);
  const Eigen::MatrixXi truth = parmac::read_ivecs(options.truth);
  const std::vector<Index> nearest(truth.row(0).begin(), truth.row(0).end());
  const auto sum = [&](std::span<double> values) { ring.all_sum(values); };
  const Index D = points.dimension();
  const Index L = options.whole + 4 * options.quarter + options.radial;
  const parmac::FitSettings fit{.penalty = parmac::GeometricPenalty{1e-4, 1.5},
                                .max_iterations = options.iterations,
                                .epochs = 2};
  parmac::BinaryCoordinates coordinates;
  const auto say = [&](const char* name, const auto& model, const parmac::Report& report) {
    if (ring.rank() != 0) return;
    const parmac::PackedCodes rows = model.encode(base), wanted = model.encode(query);
    std::printf("%-11s unexplained %.3f  recall@10 %.3f  recall@100 %.3f\n", name,
                report.final_nested / static_cast<double>(N),
                parmac::recall_at(rows, wanted, nearest, 10),
                parmac::recall_at(rows, wanted, nearest, 100));
    for (const parmac::MachineReport& machine : report.iterations.back().machines)
      std::printf("            W step %.3f s, of which waiting %.3f s\n", machine.w_seconds,
                  machine.wait_seconds);
  };

  parmac::BinaryAutoencoder plain(D, L);
  parmac::BinaryShard shard(points, L);
  parmac::start(plain, shard, sum);
  say("plain bits", plain, parmac::Trainer{plain, coordinates, ring}.fit(shard, fit));

  // Radial basis functions see points as the model scales them: as the plain start found.
  Eigen::MatrixXf U(D, points.size());
  points.load(0, U);
  plain.scaling().normalise(U);
  const Eigen::MatrixXf C = parmac::k_means(U, share.first, options.centres, sum);
  std::vector<parmac::MappedHash> parts;
  parts.emplace_back(parmac::all_features(D), options.whole);
  for (Index q = 0; q < 4; ++q) {
    std::vector<Index> quarter(static_cast<std::size_t>(D / 4));
    std::iota(quarter.begin(), quarter.end(), q * (D / 4));
    parts.emplace_back(parmac::selected_features(D, quarter), options.quarter);
  }
  parts.emplace_back(parmac::rbf_features(C, parmac::mean_distance(C)), options.radial);
  parmac::MixedAutoencoder mixed(std::move(parts));
  parmac::start(mixed, shard, sum);
  say("mixed bits", mixed, parmac::Trainer{mixed, coordinates, ring}.fit(shard, fit));
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("One code of bits of different kinds");
  app.add_option("--learn", options.learn, "points to learn from");
  app.add_option("--base", options.base, "points to search in");
  app.add_option("--query", options.query, "points to search for");
  app.add_option("--groundtruth", options.truth, "the rows nearest to each query");
  app.add_option("--whole", options.whole, "bits that see all features");
  app.add_option("--quarter", options.quarter, "bits that see a quarter, of each");
  app.add_option("--radial", options.radial, "bits with radial basis functions");
  app.add_option("--threads", options.threads, "machines in this process");
  app.add_option("--iterations", options.iterations, "at most");
  CLI11_PARSE(app, argc, argv);
  return run_where(argc, argv, options.threads, [&](auto& ring) { run(ring, options); });
}
