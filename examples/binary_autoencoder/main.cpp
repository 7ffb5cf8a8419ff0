// SPDX-License-Identifier: BSL-1.0
//
// Learns binary hash codes over a ring of MPI ranks and measures them:
//
//     mpirun -n 4 binary_autoencoder --learn L.bvecs --base B.bvecs --query Q.bvecs
//            --groundtruth G.ivecs --bits 32 --output out
//
// Read main() from top to bottom: data, start, training, files, measures.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "measure.hpp"
#include "options.hpp"
#include "parmac/data/gzip.hpp"
#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/mpi.hpp"

namespace {

using parmac::BinaryAutoencoder;
using parmac::Index;
using parmac::MpiRing;
using parmac::Points;

Index points_in(const std::string& path) { return parmac::describe(path, parmac::gunzip).points; }

/// Some points of a file, all of which must be finite.
Points open(const std::string& path, parmac::Share share) {
  const Points points = parmac::open_points(path, {.share = share, .inflate = parmac::gunzip});
  parmac::require_finite(points);
  return points;
}

/// This rank's share of the first N points of a file.
Points open_share(const std::string& path, Index N, const Options& options, const MpiRing& ring) {
  return open(path, options.shares.empty()
                        ? parmac::even_share(N, ring.size(), ring.rank())
                        : parmac::weighted_share(N, options.shares, ring.rank()));
}

/// Everything that is read, opened and checked before any work begins.
struct Data {
  Points learn, base;
  std::optional<Points> query, validation;
  std::optional<parmac::IndexMatrix> truth;

  Data(const Options& options, const MpiRing& ring)
      : learn(open_share(options.learn, learn_points(options, ring), options, ring)),
        base(open_share(options.base, points_in(options.base), options, ring)) {
    using parmac::require;
    same_dimension(base);
    if (options.validation > 0)
      validation = open(options.learn, {learn_points(options, ring), options.validation});
    if (options.query.empty()) return;
    query = open(options.query, {0, points_in(options.query)});
    same_dimension(*query);
    if (options.groundtruth.empty()) return;
    const Eigen::MatrixXi rows = parmac::read_ivecs(options.groundtruth);
    require<parmac::DataError>(rows.cols() == query->size(), options.groundtruth,
                               " has neighbours of ", rows.cols(), " queries; ", options.query,
                               " has ", query->size(), " queries");
    const Index N = points_in(options.base);
    for (Index q = 0; q < rows.cols(); ++q)
      for (Index i = 0; i < rows.rows(); ++i)
        require<parmac::DataError>(rows(i, q) >= 0 && rows(i, q) < N, options.groundtruth,
                                   ", record ", q, ", column ", i, ": row ", rows(i, q), "; ",
                                   options.base, " has ", N, " rows");
    truth = rows.topRows(std::min(rows.rows(), options.neighbours)).cast<Index>();
  }

private:
  static Index learn_points(const Options& options, const MpiRing& ring) {
    const Index all = points_in(options.learn);
    parmac::require(all - options.validation >= ring.size(), options.learn, " has ", all,
                    " points, of which ", options.validation,
                    " are held out: too few to learn from on ", ring.size(),
                    " ranks; every rank needs at least one");
    return all - options.validation;
  }

  void same_dimension(const Points& points) const {
    parmac::require<parmac::DataError>(points.dimension() == learn.dimension(), points.source(),
                                       " has points of ", points.dimension(), " features; ",
                                       learn.source(), " has ", learn.dimension());
  }
};

/// The share of the variance of held-out points that codes and decoder do not explain.
double unexplained(const BinaryAutoencoder& model, const Points& points) {
  parmac::BinaryShard shard(points, model.bits());
  return parmac::BinaryCoordinates().project(model, shard).nested /
         static_cast<double>(points.size());
}

/// Rank 0 makes the output folder and finds out now, not after the training, whether it can write.
void prepare_output(const Options& options, const MpiRing& ring) {
  if (options.output.empty() || ring.rank() != 0) return;
  std::error_code failure;
  std::filesystem::create_directories(options.output, failure);
  parmac::require<parmac::DataError>(!failure, "the output folder ", options.output,
                                     " cannot be made: ", failure.message());
  parmac::OutputFile(std::filesystem::path(options.output) / "recall.csv").flush();
}

/// Codes as bytes, for numpy and for sending.
std::string codes(const BinaryAutoencoder& model, const Points& points, int threads) {
  const parmac::PackedCodes packed = model.encode(points, threads);
  return {reinterpret_cast<const char*>(packed.bytes().data()), packed.bytes().size()};
}

/// The model and the codes of all of base and query, from rank 0.
void write_results(const Options& options, MpiRing& ring, const BinaryAutoencoder& model,
                   const Data& data) {
  std::string base;
  for (const std::string& share :
       ring.all_gather(codes(model, data.base, options.coordinates.threads)))
    base += share;
  parmac::together(ring, [&] {
    if (ring.rank() != 0) return;
    const std::filesystem::path folder = options.output;
    const auto write = [&](const char* name, const std::string& bytes) {
      parmac::write_npy(folder / name,
                        {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                        parmac::PackedCodes(model.bits()).row_bytes());
    };
    parmac::save(model, folder / "model.parmac");
    write("base_codes.npy", base);
    if (data.query)
      write("query_codes.npy", codes(model, *data.query, options.coordinates.threads));
  });
}

/// One line a measure: the learned codes beside those of tPCA.
std::string table(const Options& options, const Measure::Result& learned,
                  const Measure::Result& tpca) {
  std::string lines = "measure        learned  tPCA\n";
  const auto line = [&](const std::string& name, double a, double b) {
    char text[96];
    std::snprintf(text, sizeof text, "%-14s %-8.3f %.3f\n", name.c_str(), a, b);
    lines += text;
  };
  for (const Index R : options.recall)
    line(parmac::text("recall@", R), parmac::recall_at(learned.ranks, R),
         parmac::recall_at(tpca.ranks, R));
  line(parmac::text("precision@", options.neighbours), learned.precision, tpca.precision);
  return lines;
}

/// recall@R for R = 1, 2, 5, 10, ..., for plots.
void write_curve(const Options& options, const Measure::Result& learned,
                 const Measure::Result& tpca) {
  parmac::OutputFile file(std::filesystem::path(options.output) / "recall.csv");
  file.write("R,learned,tpca\n");
  for (Index decade = 1; decade <= 1000; decade *= 10)
    for (const Index step : {1, 2, 5})
      file.write(parmac::text(step * decade, ',', parmac::recall_at(learned.ranks, step * decade),
                              ',', parmac::recall_at(tpca.ranks, step * decade), '\n'));
  file.commit();
}

void run(Options& options, MpiRing& ring) {
  // Data: each rank maps its own shares; when one fails, all end with its message.
  parmac::require(options.shares.empty() || std::ssize(options.shares) == ring.size(),
                  "--shares names ", options.shares.size(), " ranks; there are ", ring.size());
  parmac::require(options.validation >= 0 && options.neighbours >= 1,
                  "--validation and --neighbours are ", options.validation, " and ",
                  options.neighbours, "; they must be at least 0 and 1");
  parmac::require(options.min_change >= 0 && options.time_limit >= 0,
                  "--min-change and --time-limit are ", options.min_change, " and ",
                  options.time_limit, "; they must not be negative");
  for (const Index R : options.recall)
    parmac::require(R >= 1, "--recall has ", R, "; it must be at least 1");
  const Data data = parmac::together(ring, [&] {
    prepare_output(options, ring);
    return Data(options, ring);
  });

  // Start: codes of the leading principal components; those are also what is compared with.
  const auto all_sum = [&](std::span<double> values) { ring.all_sum(values); };
  BinaryAutoencoder model(data.learn.dimension(), options.bits, options.model);
  parmac::BinaryShard shard(data.learn, options.bits);
  parmac::start(model, shard, all_sum, {.sample = options.start.sample});
  const BinaryAutoencoder tpca = model;
  if (options.start.kind != parmac::BinaryStart::pca) {
    model = BinaryAutoencoder(data.learn.dimension(), options.bits, options.model);
    parmac::start(model, shard, all_sum, options.start);
  }

  // Training.
  options.fit.penalty = options.penalty();
  std::vector<parmac::AnyStoppingRule> rules{parmac::FixedPoint{}};
  if (options.min_change > 0) rules.emplace_back(parmac::RelativeChange{options.min_change});
  if (options.time_limit > 0) rules.emplace_back(parmac::TimeLimit{options.time_limit});
  if (data.validation)
    rules.emplace_back(parmac::Validation([&] { return -unexplained(model, *data.validation); },
                                          options.patience));
  options.fit.stop = parmac::AnyOf(std::move(rules));

  parmac::BinaryCoordinates coordinates(options.coordinates);
  parmac::Trainer trainer{model, coordinates, ring};
  parmac::ProgressLine progress(std::cout);
  parmac::Report report;
  if (options.output.empty()) {
    report = trainer.fit(shard, options.fit, progress);
  } else {
    parmac::CsvLog log(std::filesystem::path(options.output) / "iterations.csv");
    report = trainer.fit(shard, options.fit, progress, log);
  }
  if (ring.rank() == 0) std::cout << report.brief() + "\n";

  // Files.
  if (!options.output.empty()) write_results(options, ring, model, data);

  // Measures.
  if (!data.query) return;
  const parmac::IndexMatrix truth =
      data.truth ? *data.truth
                 : Measure::truth(ring, data.base, *data.query, options.neighbours,
                                  options.coordinates.threads);
  const Measure measure(ring, data.base, *data.query, truth, options.coordinates.threads);
  const Measure::Result learned = measure(model);
  const Measure::Result start = measure(tpca);
  parmac::together(ring, [&] {
    if (ring.rank() != 0) return;
    if (!options.output.empty()) write_curve(options, learned, start);
    std::cout << table(options, learned, start) << std::flush;
  });
}

} // namespace

int main(int argc, char** argv) {
  return parmac::run_mpi(argc, argv, [&](const boost::mpi::communicator& world) {
    Options options;
    if (const auto status = options.parse(argc, argv, world.rank() == 0)) return *status;
    MpiRing ring{world, options.mpi, options.waiting};
    run(options, ring);
    return 0;
  });
}
