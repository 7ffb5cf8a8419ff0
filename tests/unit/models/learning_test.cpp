// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <limits>
#include <string>
#include <vector>

#include "autoencoders.hpp"
#include "expect.hpp"
#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "parmac/schedule/listed_penalty.hpp"

using parmac::BinaryAutoencoder;
using parmac::BinaryAutoencoderSettings;
using parmac::BinaryCoordinates;
using parmac::BinaryShard;
using parmac::DecoderFit;
using parmac::FitSettings;
using parmac::Index;
using parmac::IterationReport;
using parmac::Points;
using parmac::RandomStream;
using parmac::run_threads;
using parmac::SerialRing;
using parmac::ThreadRing;
using namespace parmac::tests;

namespace {

/// The W step of the trainer, by itself.
template <class Ring>
void w_step(BinaryAutoencoder& model, const BinaryShard& shard, Ring& ring, int batons = 1,
            int epochs = 1, Index total = 0) {
  const std::vector<parmac::Baton> cut =
      parmac::cut_batons(model.kinds(), model.size(), ring.size(), batons);
  parmac::WStep<BinaryAutoencoder, Ring>(
      model, shard, ring, cut,
      {.visits = {.epochs = epochs}, .total_points = static_cast<std::uint64_t>(total)})
      .run();
}

} // namespace

TEST_CASE("The exact decoder solves the worked regression of codes on points") {
  Eigen::MatrixXf X(2, 4);
  X << 1, 2, 0, 3, //
      2, 2, 4, 5;
  const auto fitted = [&](double ridge, const Eigen::Vector2f& centre, float scale) {
    BinaryAutoencoder model(2, 2, {.ridge = ridge});
    model.scaling().set(centre, scale);
    BinaryShard shard(Points(X), 2);
    shard.Z.set(1, 0, true);
    shard.Z.set(2, 1, true);
    shard.Z.set(3, 0, true);
    shard.Z.set(3, 1, true);
    SerialRing ring;
    w_step(model, shard, ring);
    // As a map to x: f(z) = centre + scale (A z + c).
    Eigen::MatrixXd map = model.decoder().cast<double>().transpose() * static_cast<double>(scale);
    map.col(2) += centre.cast<double>();
    return map;
  };
  Eigen::MatrixXd expected(2, 3);
  expected << 2, 0, 0.5, //
      0.5, 2.5, 1.75;
  CHECK((fitted(0, {0, 0}, 1) - expected).norm() < 1e-6);
  CHECK((fitted(0, {5, -3}, 4) - expected).norm() < 1e-5);
  expected << 1, 0, 1, //
      0.25, 1.25, 2.5;
  CHECK((fitted(1, {0, 0}, 1) - expected).norm() < 1e-6);
  CHECK((fitted(1, {5, -3}, 4) - expected).norm() < 1e-5);
}

TEST_CASE("The exact decoder is bit for bit the same on 1 to 5 machines for byte points") {
  RandomStream random(41);
  for (const Index N : {Index{3}, Index{7}, Index{2500}})
    for (const int batons : {1, 3}) {
      const Points points = byte_points(random, 6, N);
      const BinaryAutoencoder start = random_autoencoder(6, 5, random);
      BinaryShard all(points, 5);
      randomise(all.Z, random);
      BinaryAutoencoder alone = start;
      SerialRing one;
      w_step(alone, all, one);
      REQUIRE(alone.decoder().allFinite());
      for (int machines = 1; machines <= 5; ++machines)
        run_threads(machines, [&](ThreadRing& ring) {
          const auto [first, count] = parmac::even_share(N, ring.size(), ring.rank());
          BinaryShard shard(points.slice(first, count), 5);
          for (Index n = 0; n < count; ++n)
            for (Index l = 0; l < 5; ++l) shard.Z.set(n, l, all.Z.get(first + n, l));
          BinaryAutoencoder model = start;
          w_step(model, shard, ring, batons, 2); // the decoder needs but one of the two epochs
          expect(bytes_of(model.decoder()) == bytes_of(alone.decoder()), "rank ", ring.rank(),
                 " of ", machines, " has another decoder");
        });
    }
}

TEST_CASE("The exact decoder leaves no residual that a bit or the bias could explain") {
  RandomStream random(42);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto D = static_cast<Index>(1 + random.below(8));
    const auto L = static_cast<Index>(1 + random.below(8));
    const auto N = static_cast<Index>(1 + random.below(60));
    BinaryAutoencoder model = random_autoencoder(D, L, random);
    BinaryShard shard(byte_points(random, D, N), L);
    randomise(shard.Z, random);
    if (repeat % 3 == 0)
      for (Index n = 0; n < N; ++n) shard.Z.set(n, 0, true); // a constant bit
    SerialRing ring;
    w_step(model, shard, ring);
    const Naive naive(model, shard.points);
    const Eigen::MatrixXd Z = dense(shard.Z);
    const Eigen::MatrixXd residual = (naive.U - naive.A * Z).colwise() - naive.c;
    const double size = naive.U.norm();
    CHECK((residual * Z.transpose()).norm() < 1e-4 * size * std::sqrt(static_cast<double>(N * L)));
    CHECK(residual.rowwise().sum().norm() < 1e-4 * size * std::sqrt(static_cast<double>(N)));
  }
}

TEST_CASE("With exact steps and the encoder at rest the objective never rises") {
  RandomStream random(43);
  for (const int machines : {1, 3})
    for (const double mu : {1e-6, 1e-4, 1e-3}) {
      const Points points = byte_points(random, 10, 400);
      std::vector<IterationReport> iterations;
      run_threads(machines, [&](ThreadRing& ring) {
        BinaryAutoencoder model(10, 6);
        BinaryShard shard(share_of_machine(points, ring), 6);
        start(model, shard, summing(ring));
        model.settings().encoder_step = 0;
        BinaryCoordinates coordinates;
        parmac::Trainer trainer{model, coordinates, ring};
        const parmac::Report report = trainer.fit(
            shard,
            {.penalty = parmac::ListedPenalty({mu}), .max_iterations = 8, .final_fit = false});
        if (ring.rank() == 0) iterations = report.iterations;
      });
      double last = std::numeric_limits<double>::infinity();
      for (const IterationReport& i : iterations) {
        CHECK(i.before <= last * (1 + 1e-6));
        CHECK(i.objective <= i.before * (1 + 1e-9));
        last = i.objective;
      }
      REQUIRE(iterations.size() >= 2);
      CHECK(last < iterations[0].before);
    }
}

TEST_CASE("The SGD decoder comes near the exact one") {
  RandomStream random(44);
  const Points points = byte_points(random, 8, 600);
  SerialRing ring;
  const auto error = [&](DecoderFit decoder, int epochs) {
    BinaryAutoencoder model(8, 5, {.lambda = 1e-6, .minibatch = 10, .decoder = decoder});
    BinaryShard shard(points, 5);
    start(model, shard, summing(ring));
    w_step(model, shard, ring, 1, epochs, points.size());
    return Naive(model, points).cost(dense(shard.Z), 0) / 600;
  };
  const double exact = error(DecoderFit::exact, 1);
  const double once = error(DecoderFit::sgd, 1);
  const double often = error(DecoderFit::sgd, 20);
  CHECK(exact < 1); // of a total variance of 1
  CHECK(once < 1);
  CHECK(often >= exact * (1 - 1e-5));
  CHECK(often < 1.1 * exact);
}

TEST_CASE("The SGD decoder's objective falls in training") {
  RandomStream random(45);
  const Points points = byte_points(random, 8, 600);
  run_threads(2, [&](ThreadRing& ring) {
    const Learned learned =
        learn(ring, points, 5,
              {.penalty = parmac::ListedPenalty({1e-3}), .max_iterations = 10, .epochs = 2},
              {.decoder = DecoderFit::sgd});
    const auto& iterations = learned.report.iterations;
    expect(iterations.back().objective < 0.98 * iterations.front().before, "from ",
           iterations.front().before, " to ", iterations.back().objective);
  });
}

TEST_CASE("The encoder's bits learn to tell the codes") {
  // Codes from random planes can be told by planes, so hardly an error may stay.
  RandomStream random(46);
  const Points points = float_points(random, 6, 2000);
  const BinaryAutoencoder truth = random_autoencoder(6, 4, random);
  BinaryShard shard(points, 4);
  SerialRing ring;
  BinaryAutoencoder model(6, 4, {.lambda = 1e-5, .minibatch = 20});
  start(model, shard, summing(ring));
  shard.Z = truth.encode(points);
  const auto errors = [&] {
    return (dense(model.encode(points)) - dense(shard.Z)).squaredNorm() / 8000;
  };
  const double before = errors();
  w_step(model, shard, ring, 1, 20, points.size());
  CHECK(before > 0.1);
  CHECK(errors() < 0.05);
}

TEST_CASE("How the submodels are grouped never matters on one machine, to the bit") {
  RandomStream random(47);
  const Points points = byte_points(random, 11, 500);
  for (const DecoderFit decoder : {DecoderFit::exact, DecoderFit::sgd}) {
    SerialRing ring;
    const auto with = [&](int batons) {
      return learn(ring, points, 7,
                   {.max_iterations = 3, .epochs = 2, .batons_per_machine = batons},
                   {.decoder = decoder});
    };
    const Learned whole = with(1);
    for (int batons = 2; batons <= 8; ++batons) {
      const Learned cut = with(batons);
      CHECK(cut.report.info.batons > whole.report.info.batons);
      CHECK(cut.model == whole.model);
      CHECK(cut.codes == whole.codes);
    }
  }
}

TEST_CASE("Steps that leave the numbers end the training in words") {
  RandomStream random(48);
  const Points points = byte_points(random, 5, 200);
  SerialRing ring;
  CHECK_THROWS_AS(
      learn(ring, points, 3, {.max_iterations = 2}, {.lambda = 1e20, .encoder_step = 1e20}),
      parmac::NumericalError);
  BinaryAutoencoder model(4, 3);
  BinaryShard shard(points, 3);
  CHECK_THROWS_AS(w_step(model, shard, ring), parmac::ShapeError);
}

TEST_CASE("The exact decoder asks for one pass, all else for as many as are wanted") {
  const BinaryAutoencoder exact(3, 2);
  const BinaryAutoencoder sgd(3, 2, {.decoder = DecoderFit::sgd});
  CHECK(exact.size() == 5);
  CHECK(exact.kinds() == std::vector<parmac::SubmodelRange>{{0, 2}, {2, 5}});
  CHECK(exact.output_layer() == parmac::SubmodelRange{2, 5});
  CHECK(exact.epochs({3, 4}, 7) == 1);
  CHECK(exact.epochs({0, 2}, 7) == 7);
  CHECK(sgd.epochs({3, 4}, 7) == 7);
}
