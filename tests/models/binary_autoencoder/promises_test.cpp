// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include "autoencoders.hpp"
#include "parmac/models/binary_autoencoder.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

struct Part {
  BinaryAutoencoder model;
  BinaryShard shard;
  BinaryCoordinates coordinates;
};

struct Setup {
  Points points;
  BinaryAutoencoderSettings settings;

  template <class Ring>
  Part prepare(Ring& ring) const {
    Part part{BinaryAutoencoder(points.dimension(), 6, settings),
              BinaryShard(share_of_machine(points, ring), 6), BinaryCoordinates{}};
    start(part.model, part.shard, summing(ring));
    return part;
  }
  std::string bytes(const BinaryShard& shard) const { return bytes_of(shard.Z.bytes()); }
};

} // namespace

TEST_CASE("The binary autoencoder keeps the promises of every model") {
  RandomStream random(1);
  for (const DecoderFit decoder : {DecoderFit::exact, DecoderFit::sgd}) {
    const Setup setup{byte_points(random, 8, 200), {.decoder = decoder}};
    check_promises(setup, {.max_iterations = 3, .epochs = 2});
    check_laws(setup, 0.01, [&] { return BinaryShard(setup.points.slice(0, 0), 6); });
  }
}
