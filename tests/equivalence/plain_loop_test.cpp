// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include "parmac/ring/serial/serial_ring.hpp"
#include "plain_mac.hpp"

using parmac::BinaryAutoencoder;
using parmac::BinaryShard;
using parmac::FitSettings;
using parmac::Index;
using parmac::Points;
using parmac::RandomStream;
using parmac::SerialRing;
using namespace parmac::tests;

TEST_CASE("A training on one machine is the plain loop, to the bit") {
  RandomStream random(61);
  struct Case {
    Index D, L, N, minibatch, chunk;
    int epochs, iterations;
    double mu, factor;
  };
  for (const Case& c : {Case{9, 5, 300, 100, 4096, 1, 6, 1e-4, 1.4}, // as it comes
                        Case{9, 6, 257, 10, 64, 2, 5, 1e-3, 2},      // short last minibatches
                        Case{3, 1, 40, 1, 7, 3, 4, 1e-5, 3},         // a bit, a point an update
                        Case{6, 4, 120, 50, 100, 2, 60, 1e-2, 3},    // to the fixed point
                        Case{8, 6, 1100, 300, 500, 1, 3, 1e-4, 5}})  // more than a block
  {
    const Points points = byte_points(random, c.D, c.N);
    FitSettings fit{.penalty = parmac::GeometricPenalty{c.mu, c.factor},
                    .max_iterations = c.iterations,
                    .epochs = c.epochs,
                    .seed = 7};
    BinaryAutoencoder model(c.D, c.L, {.minibatch = c.minibatch, .chunk = c.chunk});
    BinaryShard shard(points, c.L);
    SerialRing ring;
    start(model, shard, summing(ring));
    PlainMac plain(model, shard, fit);
    plain.run(fit);

    parmac::BinaryCoordinates coordinates;
    parmac::Trainer trainer{model, coordinates, ring};
    const parmac::Report report = trainer.fit(shard, fit);
    CHECK(static_cast<int>(report.iterations.size()) == plain.iterations);
    CHECK(report.iterations.back().objective == Approx(plain.objective).epsilon(1e-5));
    CHECK(dense(shard.Z) == plain.Z);
    CHECK(bytes_of(model.encoder()) == bytes_of(plain.W));
    CHECK(bytes_of(model.decoder()) == bytes_of(plain.A));
    if (c.iterations == 60) CHECK(report.iterations.size() < 60);
  }
}
