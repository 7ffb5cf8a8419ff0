// SPDX-License-Identifier: BSL-1.0
//
// Hash codes learnt from class labels, against codes that know none: how many of the 100 rows
// nearest to a query are of its class. Run it as
//     affinity_hash        affinity_hash --threads 4        mpirun -n 4 affinity_hash
// and on MNIST with --learn, --labels, --query and --query-labels (idx files, also with .gz).
// On the digits it was given it printed, alone:
//     tPCA codes          0.392833
//     binary autoencoder  0.537056
//     affinity hashing    0.782139
//     17 iterations on 1 machines, objective 1199.34, violation 0, ...

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "parmac/data/gzip.hpp"
#include "parmac/models/affinity_hash.hpp"
#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/mpi.hpp"
#include "where.hpp"

using parmac::Index;

struct Options {
  std::string data = PARMAC_EXAMPLE_DATA "/digits_";
  std::string learn = data + "learn_images.idx", labels = data + "learn_labels.idx";
  std::string query = data + "test_images.idx", query_labels = data + "test_labels.idx";
  Index bits = 16, neighbours = 100;
  int threads = 1, iterations = 25, epochs = 2;
  double mu = 1e-3, factor = 1.4, different = -1;
};

/// The share of the nearest rows of all learning points that are of the query's class.
template <class Model>
double precision(const Model& model, const Options& options) {
  const auto open = [](const std::string& path) {
    return parmac::open_points(path, {.inflate = parmac::gunzip});
  };
  const auto labels = [](const std::string& path) {
    return parmac::read_labels(path, {.inflate = parmac::gunzip});
  };
  const auto found = parmac::hamming_search(model.encode(open(options.learn)),
                                            model.encode(open(options.query)), options.neighbours);
  return parmac::class_precision(found.rows, labels(options.labels), labels(options.query_labels));
}

template <class Ring>
void run(Ring& ring, const Options& options) {
  const parmac::OpenOptions mine{
      .part = ring.rank(), .parts = ring.size(), .inflate = parmac::gunzip};
  const parmac::Points points = parmac::open_points(options.learn, mine);
  const auto sum = [&](std::span<double> values) { ring.all_sum(values); };
  const parmac::FitSettings fit{.penalty = parmac::GeometricPenalty{options.mu, options.factor},
                                .max_iterations = options.iterations,
                                .epochs = options.epochs};
  const auto say = [&](const std::string& name, const auto& model) {
    if (ring.rank() == 0) std::cout << name << precision(model, options) << std::endl;
  };

  parmac::BinaryAutoencoder plain(points.dimension(), options.bits);
  parmac::BinaryShard codes(points, options.bits);
  parmac::start(plain, codes, sum);
  say("tPCA codes          ", plain);
  parmac::BinaryCoordinates plain_step;
  parmac::Trainer{plain, plain_step, ring}.fit(codes, fit);
  say("binary autoencoder  ", plain);

  parmac::AffinityHash model(parmac::all_features(points.dimension()), options.bits);
  parmac::AffinityShard shard(points, parmac::read_labels(options.labels, mine), options.bits);
  parmac::start(model, shard, sum);
  parmac::AffinityCoordinates step({.different = options.different});
  const auto report = parmac::Trainer{model, step, ring}.fit(shard, fit);
  say("affinity hashing    ", model);
  if (ring.rank() == 0) std::cout << report.brief() << "\n";
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Hash codes learnt from class labels");
  app.add_option("--learn", options.learn, "points to learn from, and to search in");
  app.add_option("--labels", options.labels, "their classes");
  app.add_option("--query", options.query, "points to search for");
  app.add_option("--query-labels", options.query_labels, "their classes");
  app.add_option("--bits", options.bits, "L");
  app.add_option("--neighbours", options.neighbours, "k, rows retrieved for a query");
  app.add_option("--threads", options.threads, "machines in this process");
  app.add_option("--iterations", options.iterations, "at most");
  app.add_option("--epochs", options.epochs, "of a W step");
  app.add_option("--mu", options.mu, "first penalty");
  app.add_option("--factor", options.factor, "by which the penalty grows");
  app.add_option("--different", options.different, "affinity of two classes, from -1 to below 1");
  CLI11_PARSE(app, argc, argv);
  return run_where(argc, argv, options.threads, [&](auto& ring) { run(ring, options); });
}
