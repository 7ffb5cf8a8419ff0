// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "autoencoders.hpp"
#include "parmac/data/open.hpp"
#include "parmac/data/vecs.hpp"
#include "parmac/retrieval/hamming_search.hpp"
#include "parmac/retrieval/metrics.hpp"
#include "parmac/ring/threads/thread_ring.hpp"

using parmac::BinaryAutoencoder;
using parmac::BinaryShard;
using parmac::FitSettings;
using parmac::Index;
using parmac::Points;
using parmac::run_threads;
using parmac::ThreadRing;
using namespace parmac::tests;

namespace {

Points sift(const std::string& name) {
  return parmac::open_points(std::string(PARMAC_EXAMPLE_DATA "/sift_") + name + ".bvecs");
}

} // namespace

TEST_CASE("Eight machines reach the objective of one, on SIFT descriptors") {
  const Points points = sift("learn").slice(0, 3000);
  std::vector<double> ends;
  for (const int machines : {1, 8}) {
    double end = 0;
    run_threads(machines, [&](ThreadRing& ring) {
      const Learned learned = learn(ring, points, 16, {.max_iterations = 25});
      if (ring.rank() == 0) end = learned.report.final_nested;
    });
    ends.push_back(end / 3000);
  }
  CHECK(ends[0] > 0);
  CHECK(ends[0] < 1); // of a total variance of 1
  CHECK(std::abs(ends[1] / ends[0] - 1) < 0.02);
}

TEST_CASE("Learned codes find true neighbours better than the signs of principal components") {
  const Points points = sift("learn").slice(0, 4000);
  const Points base = sift("base");
  const Points queries = sift("query");
  const parmac::IndexMatrix truth =
      parmac::read_ivecs(PARMAC_EXAMPLE_DATA "/sift_groundtruth.ivecs").topRows(100).cast<Index>();
  const auto precision = [&](const BinaryAutoencoder& model) {
    return parmac::precision(
        parmac::hamming_search(model.encode(base), model.encode(queries), 100).rows, truth);
  };
  double pca = 0, learned = 0;
  run_threads(4, [&](ThreadRing& ring) {
    BinaryAutoencoder model(points.dimension(), 64);
    BinaryShard shard(share_of_machine(points, ring), 64);
    start(model, shard, summing(ring));
    if (ring.rank() == 0) pca = precision(model);
    parmac::BinaryCoordinates coordinates;
    parmac::Trainer trainer{model, coordinates, ring};
    trainer.fit(shard, {.max_iterations = 30, .epochs = 2});
    if (ring.rank() == 0) learned = precision(model);
  });
  INFO("precision@100 " << learned << ", of the components " << pca);
  CHECK(pca > 0.2);
  CHECK(learned > pca + 0.05);
}
