// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "autoencoders.hpp"
#include "expect.hpp"
#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"

using parmac::BinaryAutoencoder;
using parmac::BinaryAutoencoderSettings;
using parmac::BinaryShard;
using parmac::BinaryStart;
using parmac::BinaryStartSettings;
using parmac::DecoderFit;
using parmac::Index;
using parmac::Points;
using parmac::RandomStream;
using parmac::run_threads;
using parmac::SerialRing;
using parmac::start;
using parmac::ThreadRing;
using namespace parmac::tests;

namespace {

struct Started {
  BinaryAutoencoder model;
  BinaryShard shard;
};

Started started(const Points& points, Index L, const BinaryStartSettings& settings = {}) {
  SerialRing ring;
  Started result{BinaryAutoencoder(points.dimension(), L), BinaryShard(points, L)};
  start(result.model, result.shard, summing(ring), settings);
  return result;
}

/// A bit may be 1 on either side of its plane: the number of codes that differ, for the better
/// side.
Index differing(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
  const auto count = static_cast<Index>((a - b).cwiseAbs().sum());
  return std::min(count, a.size() - count);
}

Eigen::MatrixXd directions(const BinaryAutoencoder& model) {
  return model.encoder().topRows(model.features()).cast<double>().colwise().normalized();
}

} // namespace

TEST_CASE("The start scales the points to mean 0 and total variance 1") {
  RandomStream random(11);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto D = static_cast<Index>(1 + random.below(30));
    const auto N = static_cast<Index>(2 + random.below(3000));
    const Points points = repeat % 2 == 0 ? byte_points(random, D, N) : float_points(random, D, N);
    const Started s = started(points, 1);
    const Naive naive(s.model, points);
    CHECK(naive.U.squaredNorm() / static_cast<double>(N) == Approx(1).epsilon(1e-5));
    CHECK(naive.U.rowwise().mean().norm() < 1e-5);
  }
}

TEST_CASE(
    "The start's codes are the signs of the principal components, whose scores have variance 1") {
  RandomStream random(12);
  Index skipped = 0, compared = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto D = static_cast<Index>(1 + random.below(20));
    const auto N = static_cast<Index>(60 + random.below(1500));
    const auto L = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(D)));
    const Points points = byte_points(random, D, N);
    const Started s = started(points, L);

    const Eigen::MatrixXd X = dense(points);
    const Eigen::MatrixXd centred = X.colwise() - X.rowwise().mean();
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(centred, Eigen::ComputeThinU);
    const Eigen::VectorXd& values = svd.singularValues();
    for (Index l = 0; l < L; ++l) {
      // A component is defined as well as its singular value stands apart.
      const double apart = std::min(l > 0 ? values(l - 1) - values(l) : 1e300,
                                    l + 1 < D ? values(l) - values(l + 1) : 1e300);
      if (apart < 1e-2 * values(0)) continue;
      const Eigen::RowVectorXd scores = svd.matrixU().col(l).transpose() * centred;
      Eigen::RowVectorXd expected(N), found(N);
      Index kept = 0;
      for (Index n = 0; n < N; ++n) {
        ++compared;
        if (std::abs(scores(n)) < 1e-4 * values(0)) {
          ++skipped;
          continue;
        }
        expected(kept) = scores(n) > 0 ? 1 : 0;
        found(kept++) = s.shard.Z.get(n, l) ? 1 : 0;
      }
      CHECK(differing(expected.head(kept), found.head(kept)) == 0);
      const Naive naive(s.model, points);
      CHECK(naive.scores.row(l).squaredNorm() / static_cast<double>(N) == Approx(1).epsilon(1e-4));
    }
  }
  CHECK(compared > 20000);
  CHECK(skipped < compared / 50);
}

TEST_CASE("The start is bit for bit the same on 1 to 5 machines for byte points") {
  RandomStream random(13);
  for (const Index N : {Index{4}, Index{1500}}) {
    const Points points = byte_points(random, 12, N);
    const Started alone = started(points, 7);
    for (int machines = 1; machines <= 5; ++machines) {
      std::vector<std::string> models(5), codes(5);
      run_threads(machines, [&](ThreadRing& ring) {
        BinaryAutoencoder model(12, 7);
        BinaryShard shard(share_of_machine(points, ring), 7);
        start(model, shard, summing(ring));
        models[static_cast<std::size_t>(ring.rank())] = bytes_of(model);
        codes[static_cast<std::size_t>(ring.rank())] = bytes_of(shard.Z.bytes());
      });
      std::string all;
      for (const std::string& some : codes) all += some;
      CHECK(all == bytes_of(alone.shard.Z.bytes()));
      for (int rank = 0; rank < machines; ++rank)
        CHECK(models[static_cast<std::size_t>(rank)] == bytes_of(alone.model));
    }
  }
}

TEST_CASE("ITQ turns the principal components, and every iteration quantises no worse") {
  RandomStream random(14);
  for (const Index L : {Index{1}, Index{2}, Index{6}, Index{12}}) {
    const Points points = byte_points(random, 12, 900);
    const Eigen::MatrixXd V = directions(started(points, L).model);
    double last = std::numeric_limits<double>::infinity();
    double first = 0;
    for (const int iterations : {0, 1, 2, 3, 5, 10, 50}) {
      const Started s =
          started(points, L, {.kind = BinaryStart::itq, .itq_iterations = iterations});
      const Eigen::MatrixXd turned = directions(s.model);
      const Eigen::MatrixXd R = V.transpose() * turned;
      CHECK((R.transpose() * R - Eigen::MatrixXd::Identity(L, L)).norm() < 1e-4);
      const Eigen::MatrixXd scores = turned.transpose() * Naive(s.model, points).U;
      const Eigen::MatrixXd signs = scores.unaryExpr([](double x) { return x > 0 ? 1.0 : -1.0; });
      const double loss = (signs - scores).squaredNorm();
      CHECK(loss <= last * (1 + 1e-6));
      last = loss;
      if (iterations == 0) first = loss;
    }
    if (L > 1) CHECK(last < first);
  }
}

TEST_CASE("The nearest rotation is orthogonal and reaches the sum of the singular values") {
  RandomStream random(15);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto L = static_cast<Index>(1 + random.below(9));
    const auto rank = static_cast<Index>(random.below(static_cast<std::uint64_t>(L + 1)));
    Eigen::MatrixXd left(L, rank), right(rank, L);
    for (double& x : left.reshaped()) x = random.normal();
    for (double& x : right.reshaped()) x = random.normal();
    const Eigen::MatrixXd C =
        rank == 0 ? Eigen::MatrixXd(Eigen::MatrixXd::Zero(L, L)) : Eigen::MatrixXd(left * right);
    const Eigen::MatrixXd R = parmac::detail::nearest_rotation(C);
    CHECK((R.transpose() * R - Eigen::MatrixXd::Identity(L, L)).norm() < 1e-9);
    const double reached = (R.transpose() * C).trace();
    CHECK(reached == Approx(Eigen::JacobiSVD<Eigen::MatrixXd>(C).singularValues().sum())
                         .epsilon(1e-6)
                         .margin(1e-9));
  }
}

TEST_CASE("ITQ on several machines is as good as on one") {
  RandomStream random(16);
  const Points points = byte_points(random, 10, 700);
  const auto loss = [&](const BinaryAutoencoder& model) {
    const Eigen::MatrixXd scores = directions(model).transpose() * Naive(model, points).U;
    return (scores.cwiseAbs().array() - 1).square().sum();
  };
  const BinaryStartSettings itq{.kind = BinaryStart::itq};
  const double alone = loss(started(points, 6, itq).model);
  std::vector<std::string> models(3);
  run_threads(3, [&](ThreadRing& ring) {
    BinaryAutoencoder model(10, 6);
    BinaryShard shard(share_of_machine(points, ring), 6);
    start(model, shard, summing(ring), itq);
    models[static_cast<std::size_t>(ring.rank())] = bytes_of(model);
    expect(std::abs(loss(model) / alone - 1) < 0.02, "a loss of ", loss(model), " for ", alone);
  });
  CHECK(models[1] == models[0]);
  CHECK(models[2] == models[0]);
}

TEST_CASE(
    "Step sizes are positive, the same on all machines, and left alone where they are given") {
  RandomStream random(17);
  const Points points = byte_points(random, 8, 300);
  for (const DecoderFit decoder : {DecoderFit::exact, DecoderFit::sgd}) {
    std::vector<double> found(8);
    run_threads(4, [&](ThreadRing& ring) {
      const auto self = static_cast<std::size_t>(ring.rank());
      // The last machine has no points.
      const Index count = ring.rank() == 3 ? 0 : 100;
      BinaryAutoencoder model(8, 4, {.decoder = decoder});
      BinaryShard shard(points.slice(100 * std::min(ring.rank(), 2), count), 4);
      start(model, shard, summing(ring));
      found[self] = model.settings().encoder_step;
      found[4 + self] = model.settings().decoder_step;

      BinaryAutoencoder given(8, 4,
                              {.encoder_step = 0.25, .decoder_step = 0.75, .decoder = decoder});
      start(given, shard, summing(ring));
      expect(given.settings().encoder_step == 0.25, "the encoder's step size was changed");
      expect(given.settings().decoder_step == 0.75, "the decoder's step size was changed");
    });
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(found[i] > 0);
      CHECK(std::isfinite(found[i]));
      CHECK(found[i] == found[i / 4 * 4]);
    }
  }
}

TEST_CASE("A start that cannot be is refused in words") {
  RandomStream random(18);
  const Points points = byte_points(random, 5, 40);
  CHECK_THROWS_AS(started(points, 6), parmac::ConfigError);
  try {
    static_cast<void>(started(points, 6));
  } catch (const parmac::ConfigError& error) {
    CHECK(contains(error.what(), "6 bits"));
    CHECK(contains(error.what(), "5 features"));
  }
  CHECK_THROWS_AS(started(points.slice(0, 0), 2), parmac::DataError);
  CHECK_THROWS_AS(started(points, 2, {.itq_iterations = -1}), parmac::ConfigError);
  CHECK_THROWS_AS(started(points, 2, {.itq_points = 0}), parmac::ConfigError);
  CHECK_THROWS_AS(started(points, 2, {.sample = 0}), parmac::ConfigError);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Eigen::MatrixXf X = Eigen::MatrixXf::Random(5, 40);
    X(3, 17) = bad;
    CHECK_THROWS_AS(started(Points(X), 2), parmac::NumericalError);
  }
  SerialRing ring;
  BinaryAutoencoder model(4, 2);
  BinaryShard shard(points, 2);
  CHECK_THROWS_AS(start(model, shard, summing(ring)), parmac::ShapeError);
}

TEST_CASE("Settings and sizes out of range are refused") {
  CHECK_THROWS_AS(BinaryAutoencoder(0, 1), parmac::ConfigError);
  CHECK_THROWS_AS(BinaryAutoencoder(-3, 1), parmac::ConfigError);
  CHECK_THROWS_AS(BinaryAutoencoder(1, 0), parmac::ConfigError);
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1e-9, inf, nan}) {
    CHECK_THROWS_AS(BinaryAutoencoder(2, 1, {.lambda = bad}), parmac::ConfigError);
    CHECK_THROWS_AS(BinaryAutoencoder(2, 1, {.encoder_step = bad}), parmac::ConfigError);
    CHECK_THROWS_AS(BinaryAutoencoder(2, 1, {.decoder_step = bad}), parmac::ConfigError);
    CHECK_THROWS_AS(BinaryAutoencoder(2, 1, {.ridge = bad}), parmac::ConfigError);
  }
  CHECK_THROWS_AS(BinaryAutoencoder(2, 1, {.minibatch = 0}), parmac::ConfigError);
  CHECK_THROWS_AS(BinaryAutoencoder(2, 1, {.chunk = 0}), parmac::ConfigError);
  BinaryAutoencoder model(2, 1);
  CHECK_THROWS_AS(model.scaling().set(Eigen::VectorXf::Zero(3), 1), parmac::ShapeError);
  CHECK_THROWS_AS(model.scaling().set(Eigen::VectorXf::Zero(2), 0), parmac::ConfigError);
  CHECK_THROWS_AS(model.scaling().set(Eigen::VectorXf::Zero(2), std::nanf("")),
                  parmac::ConfigError);
  CHECK_THROWS_AS(model.scaling().set(Eigen::VectorXf::Constant(2, std::nanf("")), 1),
                  parmac::ConfigError);
}

namespace {

/// Data that leave nothing, or hardly anything, to learn.
std::vector<std::pair<std::string, Points>> odd_data() {
  RandomStream random(19);
  std::vector<std::pair<std::string, Points>> cases;
  Eigen::MatrixXf X = dense(byte_points(random, 9, 60)).cast<float>();
  X.row(4).setConstant(7);
  cases.emplace_back("a constant feature", Points(X));
  X.row(3) = X.row(5);
  cases.emplace_back("equal features", Points(X));
  for (Index n = 1; n < X.cols(); n += 2) X.col(n) = X.col(n - 1);
  cases.emplace_back("points that stand twice", Points(X));
  cases.emplace_back("equal points of bytes",
                     Points(parmac::ByteMatrix::Constant(9, 30, 200).eval()));
  cases.emplace_back("equal points of floats", Points(Eigen::MatrixXf::Constant(9, 30, 1000.1F)));
  cases.emplace_back("points at the origin", Points(Eigen::MatrixXf::Zero(9, 30)));
  cases.emplace_back("one feature", byte_points(random, 1, 50));
  cases.emplace_back("one point", byte_points(random, 9, 1));
  cases.emplace_back("two points", byte_points(random, 9, 2));
  cases.emplace_back("fewer points than bits", byte_points(random, 9, 4));
  cases.emplace_back("more bits than a word", byte_points(random, 70, 90));
  cases.emplace_back("tiny numbers", Points((Eigen::MatrixXf::Random(9, 40) * 1e-15F).eval()));
  cases.emplace_back("huge numbers", Points((Eigen::MatrixXf::Random(9, 40) * 1e15F).eval()));
  return cases;
}

} // namespace

TEST_CASE("Odd data are learned from without harm, with empty shards too") {
  for (const auto& [name, points] : odd_data())
    for (const BinaryStart kind : {BinaryStart::pca, BinaryStart::itq})
      for (const DecoderFit decoder : {DecoderFit::exact, DecoderFit::sgd})
        for (const int machines : {1, 3}) {
          INFO(name << ", " << machines << " machines, itq " << (kind == BinaryStart::itq)
                    << ", sgd " << (decoder == DecoderFit::sgd));
          const Index D = points.dimension();
          for (const Index L : {Index{1}, std::min<Index>(D, 65)}) {
            std::string failure;
            try {
              run_threads(machines, [&, &all = points](ThreadRing& ring) {
                // Machine 1 of 3 has no points.
                const bool none = ring.rank() == 1;
                const Index half = machines == 1 ? all.size() : all.size() / 2;
                const Index first = ring.rank() == 2 ? half : 0;
                BinaryShard shard(all.slice(first, none               ? 0
                                                   : ring.rank() == 2 ? all.size() - half
                                                                      : half),
                                  L);
                BinaryAutoencoder model(D, L, {.decoder = decoder});
                start(model, shard, summing(ring), {.kind = kind, .itq_iterations = 5});
                parmac::BinaryCoordinates coordinates;
                parmac::Trainer trainer{model, coordinates, ring};
                const parmac::Report report = trainer.fit(
                    shard, {.penalty = parmac::GeometricPenalty{1e-3, 3}, .max_iterations = 3});
                expect(model.encoder().allFinite() && model.decoder().allFinite(),
                       "weights not finite");
                expect(std::isfinite(report.final_nested), "the end is not finite");
                for (const parmac::IterationReport& i : report.iterations)
                  expect(std::isfinite(i.objective) && std::isfinite(i.nested), "not finite");
                expect(model.encode(shard.points).size() == shard.size(), "codes are missing");
              });
            } catch (const std::exception& error) {
              failure = error.what();
            }
            CHECK(failure.empty());
            if (!failure.empty()) UNSCOPED_INFO(failure);
          }
        }
}
