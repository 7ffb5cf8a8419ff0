// SPDX-License-Identifier: BSL-1.0
//
// The program of docs/tutorial.md. Run it as
//     hash_codes DATA      hash_codes DATA threads      mpirun -n 3 hash_codes DATA mpi
// where DATA is the folder examples/data. It writes model.parmac and base_codes.npy.

#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/mpi.hpp"

namespace {

void use(const parmac::BinaryAutoencoder& model, const std::string& data) {
  const parmac::PackedCodes base = model.encode(parmac::open_points(data + "/sift_base.bvecs"));
  const parmac::PackedCodes queries = model.encode(parmac::open_points(data + "/sift_query.bvecs"));

  const auto found = parmac::hamming_search(base, queries, 10);
  std::cout << "the base points nearest to query 0:";
  for (const parmac::Index row : found.rows.col(0)) std::cout << ' ' << row;
  std::cout << "\nthe first differs from it in " << found.distances(0, 0) << " bits\n";

  const Eigen::MatrixXi truth = parmac::read_ivecs(data + "/sift_groundtruth.ivecs");
  const std::vector<parmac::Index> nearest(truth.row(0).begin(), truth.row(0).end());
  const double recall = parmac::recall_at(base, queries, nearest, 10);
  std::cout << "recall@10 " << recall << "\n";
  parmac::require(recall > 0.5, "the codes are no good: recall@10 is ", recall);

  parmac::save(model, "model.parmac");
  const parmac::BinaryAutoencoder again = parmac::load_binary_autoencoder("model.parmac");
  parmac::require(again.encode(parmac::open_points(data + "/sift_base.bvecs")) == base,
                  "the model that was read gives other codes");

  parmac::write_npy("base_codes.npy", base.bytes(), base.row_bytes());
}

template <class Ring>
void learn(Ring& ring, const std::string& data) {
  const parmac::Points points = parmac::together(ring, [&] {
    return parmac::open_points(data + "/sift_learn.bvecs",
                               {.part = ring.rank(), .parts = ring.size()});
  });

  parmac::BinaryAutoencoder model(points.dimension(), 32);
  parmac::BinaryShard shard(points, model.bits());
  parmac::start(model, shard, [&](std::span<double> values) { ring.all_sum(values); });

  parmac::BinaryCoordinates coordinates;
  parmac::Trainer trainer{model, coordinates, ring};
  parmac::ProgressLine progress(std::cout);
  const parmac::Report report = trainer.fit(shard, {.epochs = 2}, progress);

  if (ring.rank() != 0) return;
  std::cout << report.brief() + "\n";
  use(model, data);
}

} // namespace

int main(int argc, char** argv) {
  const std::string data = argc > 1 ? argv[1] : "examples/data";
  const std::string where = argc > 2 ? argv[2] : "serial";

  if (where == "serial") {
    parmac::SerialRing ring;
    learn(ring, data);
  }
  if (where == "threads")
    parmac::run_threads(3, [&](parmac::ThreadRing& ring) { learn(ring, data); });
  if (where == "mpi")
    return parmac::run_mpi(argc, argv, [&](const boost::mpi::communicator& world) {
      parmac::MpiRing ring{world};
      learn(ring, data);
    });
}
