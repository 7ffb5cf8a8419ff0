// SPDX-License-Identifier: BSL-1.0
// Against faiss: the training of codes against its ITQ, and the search among codes against its
// IndexBinaryFlat. OMP_NUM_THREADS says on how many threads; the ring is one of as many threads.
#include <faiss/IndexBinaryFlat.h>
#include <faiss/VectorTransform.h>
#include <omp.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "parmac/data/open.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/data/vecs.hpp"
#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/retrieval/hamming_search.hpp"
#include "parmac/retrieval/rank_counts.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "parmac/train/trainer.hpp"
#include "ratio.hpp"

using namespace parmac;
using namespace parmac::benchmarks;

namespace {

struct Split {
  explicit Split(const std::string& folder)
      : learn(open_points(folder + "/sift_learn.bvecs")),
        base(open_points(folder + "/sift_base.bvecs")),
        query(open_points(folder + "/sift_query.bvecs")) {
    const Eigen::MatrixXi truth = read_ivecs(folder + "/sift_groundtruth.ivecs");
    for (Index q = 0; q < truth.cols(); ++q) nearest.push_back(truth(0, q));
  }
  Points learn, base, query;
  std::vector<Index> nearest; // of each query, in base
};

Eigen::MatrixXf floats(const Points& points) {
  Eigen::MatrixXf X(points.dimension(), points.size());
  points.load(0, X);
  return X;
}

/// Two MAC iterations from ITQ codes, by as many machines as there are threads.
BinaryAutoencoder learn(const Points& points, Index L, int threads) {
  BinaryAutoencoder learnt(points.dimension(), L);
  run_threads(threads, [&](ThreadRing& ring) {
    const Share share = even_share(points.size(), ring.size(), ring.rank());
    BinaryShard shard(points.slice(share.first, share.count), L);
    BinaryAutoencoder model(points.dimension(), L);
    start(model, shard, [&](std::span<double> values) { ring.all_sum(values); },
          {.kind = BinaryStart::itq});
    BinaryCoordinates coordinates;
    Trainer trainer{model, coordinates, ring};
    trainer.fit(shard, {.penalty = GeometricPenalty(1e-3, 2), .max_iterations = 2});
    if (ring.rank() == 0) learnt = model;
  });
  return learnt;
}

PackedCodes signs(const faiss::ITQTransform& itq, const Eigen::MatrixXf& X) {
  Eigen::MatrixXf S(itq.d_out, X.cols());
  itq.apply_noalloc(X.cols(), X.data(), S.data());
  PackedCodes codes(S.rows(), S.cols());
  for (Index j = 0; j < S.cols(); ++j)
    for (Index l = 0; l < S.rows(); ++l) codes.set(j, l, S(l, j) > 0);
  return codes;
}

void against_itq(Comparison& table, int runs, const Split& data, Index L, int threads) {
  const Eigen::MatrixXf X = floats(data.learn);
  const auto D = static_cast<int>(X.rows());
  BinaryAutoencoder model(X.rows(), L);
  faiss::ITQTransform itq;
  const SideBySide times = side_by_side(
      runs, [&] { model = learn(data.learn, L, threads); },
      [&] {
        itq = faiss::ITQTransform(D, static_cast<int>(L), true);
        itq.train(X.cols(), X.data());
      });
  const auto recall = [&](const PackedCodes& base, const PackedCodes& queries) {
    return recall_at(base, queries, data.nearest, 100, Ties::by_row, threads);
  };
  const double ours = recall(model.encode(data.base), model.encode(data.query));
  const double theirs = recall(signs(itq, floats(data.base)), signs(itq, floats(data.query)));
  char note[120];
  std::snprintf(note, sizeof note, "%.2f s, ITQ %.2f; recall@100 %.3f, ITQ %.3f", times.ours,
                times.theirs, ours, theirs);
  const std::string name =
      "training, faiss ITQ / parmac, " + std::to_string(L) + " bits, " + in_threads(threads);
  if (L == 64)
    table.at_least(name, ours >= theirs ? times.ratio : 0, 1.0 / 3, note);
  else
    table.tell(name, times.ratio, note);
}

void against_flat_index(Comparison& table, int runs, Index N, Index L, Index k, int threads) {
  RandomStream random(5);
  const auto random_codes = [&](Index count) {
    PackedCodes codes(L, count);
    std::vector<std::uint64_t> words(static_cast<std::size_t>(codes.row_words()));
    for (Index i = 0; i < count; ++i) {
      for (std::uint64_t& word : words) word = random.word64();
      codes.store_words(i, words);
    }
    return codes;
  };
  const PackedCodes base = random_codes(N);
  const PackedCodes queries = random_codes(256);
  faiss::IndexBinaryFlat index(L);
  index.add(N, base.bytes().data());
  std::vector<std::int32_t> distances(static_cast<std::size_t>(queries.size() * k));
  std::vector<faiss::Index::idx_t> rows(distances.size());
  Neighbours<Index> found;
  const SideBySide times = side_by_side(
      runs, [&] { found = hamming_search(base, queries, k, {.threads = threads}); },
      [&] {
        index.search(queries.size(), queries.bytes().data(), k, distances.data(), rows.data());
      });
  bool same = true;
  for (Index q = 0; q < queries.size(); ++q)
    for (Index i = 0; i < k; ++i)
      same &= found.distances(i, q) == distances[static_cast<std::size_t>(q * k + i)];
  char note[120];
  std::snprintf(note, sizeof note, "%.2f ns a comparison, faiss %.2f; distances %s",
                times.ours / static_cast<double>(N * queries.size()) * 1e9,
                times.theirs / static_cast<double>(N * queries.size()) * 1e9,
                same ? "agree" : "DIFFER");
  const std::string name = "search, faiss / parmac, " + std::to_string(L) +
                           " bits, k = " + std::to_string(k) + ", " + in_threads(threads);
  if (L == 64)
    table.at_least(name, same ? times.ratio : 0, 1, note);
  else
    table.tell(name, times.ratio, note);
}

} // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const int threads = omp_get_max_threads();
  const int runs = options.quick ? 5 : 9;
  const Split data(options.data);
  Comparison table;
  for (const Index L : options.quick ? std::vector<Index>{64} : std::vector<Index>{16, 32, 64})
    against_itq(table, runs, data, L, threads);
  for (const Index k : {1, 100}) against_flat_index(table, runs, 200000, 64, k, threads);
  if (!options.quick)
    for (const Index L : {16, 32, 128}) against_flat_index(table, runs, 200000, L, 100, threads);
  return table.status();
}
