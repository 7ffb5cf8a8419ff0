// SPDX-License-Identifier: BSL-1.0
// Trains over MPI, then on as many threads of rank 0, and compares models and codes to the bit.
#include "catch.hpp"

#include <string>
#include <vector>

#include "autoencoders.hpp"
#include "parmac/mpi.hpp"

using parmac::BinaryAutoencoderSettings;
using parmac::DecoderFit;
using parmac::FitSettings;
using parmac::Index;
using parmac::MpiRing;
using parmac::MpiSettings;
using parmac::Points;
using parmac::RandomStream;
using parmac::SerialRing;
using parmac::ThreadRing;
using namespace parmac::tests;

namespace {

void compare(const Points& points, Index L, const FitSettings& fit,
             const BinaryAutoencoderSettings& settings = {}, const MpiSettings& mpi = {}) {
  const boost::mpi::communicator world;
  MpiRing ring(world, mpi);
  const Learned mine = learn(ring, points, L, fit, settings);
  const std::vector<std::string> models = ring.all_gather(mine.model);
  const std::vector<std::string> codes = ring.all_gather(mine.codes);
  if (ring.rank() != 0) return;
  std::vector<Learned> threads(models.size());
  parmac::run_threads(ring.size(), [&](ThreadRing& other) {
    threads[static_cast<std::size_t>(other.rank())] = learn(other, points, L, fit, settings);
  });
  for (std::size_t rank = 0; rank < models.size(); ++rank) {
    CHECK(models[rank] == threads[0].model);
    CHECK(models[rank] == threads[rank].model);
    CHECK(codes[rank] == threads[rank].codes);
  }
  if (ring.size() > 1) return;
  SerialRing alone;
  const Learned serial = learn(alone, points, L, fit, settings);
  CHECK(models[0] == serial.model);
  CHECK(codes[0] == serial.codes);
}

} // namespace

TEST_CASE("MPI trains what threads train, to the bit") {
  RandomStream random(81);
  for (const auto& [D, L] : {std::pair<Index, Index>{11, 7}, {2, 1}}) {
    const Points points = byte_points(random, D, 300);
    for (const int epochs : {1, 2})
      for (const DecoderFit decoder : {DecoderFit::exact, DecoderFit::sgd})
        compare(points, L, {.max_iterations = 4, .epochs = epochs}, {.decoder = decoder});
  }
}

TEST_CASE("MPI trains what threads train in every form of the W step") {
  RandomStream random(82);
  const Points points = float_points(random, 8, 300);
  compare(points, 6, {.max_iterations = 3, .epochs = 2, .local_epochs = true});
  compare(points, 6, {.max_iterations = 3, .epochs = 2, .shuffle_ring = true});
  compare(points, 6, {.max_iterations = 3, .batons_per_machine = 3});
  compare(points, 6, {.max_iterations = 2, .final_fit = false}, {.decoder = DecoderFit::sgd});
}

TEST_CASE("Short messages and synchronous sends change no bit") {
  RandomStream random(83);
  const Points points = byte_points(random, 8, 200);
  compare(points, 6, {.max_iterations = 2}, {}, {.max_chunk_bytes = 7});
  compare(points, 6, {.max_iterations = 2}, {}, {.synchronous_sends = true});
}

TEST_CASE("Ranks without points take part") {
  RandomStream random(84);
  compare(byte_points(random, 5, 3), 4, {.max_iterations = 2});
}
