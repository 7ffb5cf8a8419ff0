// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cmath>
#include <limits>

#include "autoencoders.hpp"

using parmac::BinaryAutoencoder;
using parmac::BinaryCoordinates;
using parmac::BinaryMethod;
using parmac::BinaryShard;
using parmac::CoordinateReport;
using parmac::Index;
using parmac::PackedCodes;
using parmac::Points;
using parmac::RandomStream;
using namespace parmac::tests;

namespace {

/// The lowest cost of any code, tried one after the other.
double lowest(const Naive& naive, Index n, double mu) {
  const Index L = naive.A.cols();
  double best = std::numeric_limits<double>::infinity();
  for (std::uint64_t code = 0; code < std::uint64_t{1} << L; ++code) {
    Eigen::VectorXd z(L);
    for (Index l = 0; l < L; ++l) z(l) = static_cast<double>(code >> l & 1);
    best = std::min(best, naive.cost(n, z, mu));
  }
  return best;
}

struct Case {
  BinaryAutoencoder model;
  BinaryShard shard;
  double mu;
};

Case random_case(RandomStream& random, Index L, Index N) {
  const auto D = static_cast<Index>(1 + random.below(12));
  for (;;) {
    Case found{random_autoencoder(D, L, random), BinaryShard(float_points(random, D, N), L),
               std::pow(10, -6 + 9 * random.uniform())};
    randomise(found.shard.Z, random);
    // A score that rounding decides on would make two right answers.
    if (Naive(found.model, found.shard.points).closest > 1e-5) return found;
  }
}

// The linear term is made in float, as the models are.
constexpr double rounding = 1e-5;

} // namespace

TEST_CASE("Every method's codes cost what it reports, and the exact ones cost the least there is") {
  RandomStream random(31);
  for (int repeat = 0; repeat < 150; ++repeat) {
    const auto L = static_cast<Index>(1 + random.below(10));
    const auto N = static_cast<Index>(1 + random.below(6));
    const Case start = random_case(random, L, N);
    const Naive naive(start.model, start.shard.points);
    const Eigen::MatrixXd old = dense(start.shard.Z);
    double size = 0;
    for (Index n = 0; n < N; ++n) size += naive.size(n, start.mu * static_cast<double>(L));

    for (const BinaryMethod method : {BinaryMethod::automatic, BinaryMethod::exact,
                                      BinaryMethod::alternating, BinaryMethod::enumeration}) {
      INFO("method " << static_cast<int>(method) << ", L " << L << ", mu " << start.mu);
      BinaryShard shard = start.shard;
      const CoordinateReport report =
          BinaryCoordinates({.method = method}).update(start.model, shard, start.mu);
      const Eigen::MatrixXd Z = dense(shard.Z);
      CHECK(std::abs(report.before - naive.cost(old, start.mu)) < rounding * size);
      CHECK(std::abs(report.objective - naive.cost(Z, start.mu)) < rounding * size);
      CHECK(std::abs(report.nested - naive.cost(naive.H, 0)) < rounding * size);
      CHECK(report.violation == (Z - naive.H).squaredNorm());
      double changed = 0;
      for (Index n = 0; n < N; ++n) changed += Z.col(n) == old.col(n) ? 0 : 1;
      CHECK(report.changed == changed);
      CHECK(report.objective <= report.before + 1e-11 * size);

      for (Index n = 0; n < N; ++n) {
        const double tolerance = rounding * naive.size(n, start.mu);
        const double cost = naive.cost(n, Z.col(n), start.mu);
        CHECK(cost <= naive.cost(n, old.col(n), start.mu) + tolerance);
        CHECK(cost <= naive.cost(n, naive.H.col(n), start.mu) + tolerance);
        if (method != BinaryMethod::alternating)
          CHECK(cost <= lowest(naive, n, start.mu) + tolerance);
        for (Index l = 0; l < L; ++l) {
          Eigen::VectorXd flipped = Z.col(n);
          flipped(l) = 1 - flipped(l);
          CHECK(cost <= naive.cost(n, flipped, start.mu) + tolerance);
        }
      }
    }
  }
}

TEST_CASE("The exact search costs what enumeration costs up to 16 bits") {
  RandomStream random(32);
  for (Index L = 11; L <= 16; ++L) {
    const Case start = random_case(random, L, 6);
    BinaryShard exact = start.shard, plain = start.shard;
    const double found = BinaryCoordinates({.method = BinaryMethod::exact})
                             .update(start.model, exact, start.mu)
                             .objective;
    const double truth = BinaryCoordinates({.method = BinaryMethod::enumeration})
                             .update(start.model, plain, start.mu)
                             .objective;
    CHECK(found == Approx(truth).epsilon(1e-10));
  }
}

TEST_CASE("Objectives never rise from step to step, for long codes too") {
  RandomStream random(33);
  for (const Index L : {Index{17}, Index{64}, Index{65}}) {
    Case c = random_case(random, L, 20);
    double last = std::numeric_limits<double>::infinity();
    for (int step = 0; step < 4; ++step) {
      const CoordinateReport report = BinaryCoordinates().update(c.model, c.shard, c.mu);
      CHECK(report.objective <= report.before * (1 + 1e-9));
      CHECK(report.before <= last * (1 + 1e-9));
      last = report.objective;
    }
    const Naive naive(c.model, c.shard.points);
    CHECK(last == Approx(naive.cost(dense(c.shard.Z), c.mu)).epsilon(1e-4));
  }
}

TEST_CASE("Projection and a huge penalty both give Z = h(X)") {
  RandomStream random(34);
  for (const Index L : {Index{1}, Index{5}, Index{12}, Index{40}, Index{66}}) {
    const Case start = random_case(random, L, 30);
    const PackedCodes h = start.model.encode(start.shard.points);
    const Naive naive(start.model, start.shard.points);
    BinaryShard shard = start.shard;
    const CoordinateReport report = BinaryCoordinates().project(start.model, shard);
    CHECK(shard.Z == h);
    CHECK(report.violation == 0);
    CHECK(report.nested == Approx(naive.cost(naive.H, 0)).epsilon(1e-4));
    CHECK(report.objective == Approx(report.nested).epsilon(1e-9));
    for (const BinaryMethod method : {BinaryMethod::automatic, BinaryMethod::alternating}) {
      shard = start.shard;
      BinaryCoordinates({.method = method}).update(start.model, shard, 1e9);
      CHECK(shard.Z == h);
    }
  }
}

TEST_CASE("Reports and codes do not depend on the number of threads, to the bit") {
  RandomStream random(35);
  for (const BinaryMethod method : {BinaryMethod::exact, BinaryMethod::alternating}) {
    const Index N = 3 * parmac::Scaling::block_points + 17;
    BinaryAutoencoder model = random_autoencoder(6, 7, random);
    BinaryShard start(float_points(random, 6, N), 7);
    randomise(start.Z, random);
    BinaryShard alone = start;
    const CoordinateReport expected =
        BinaryCoordinates({.method = method}).update(model, alone, 0.3);
    for (const int threads : {2, 4}) {
      BinaryShard shard = start;
      const CoordinateReport report =
          BinaryCoordinates({.method = method, .threads = threads}).update(model, shard, 0.3);
      CHECK(shard.Z == alone.Z);
      CHECK(report.before == expected.before);
      CHECK(report.objective == expected.objective);
      CHECK(report.nested == expected.nested);
      CHECK(report.violation == expected.violation);
      CHECK(report.changed == expected.changed);
    }
    // Nor on how the points are shared out, but for the order of the sums.
    CoordinateReport sum;
    PackedCodes codes(7);
    for (const auto& [first, count] : {std::pair<Index, Index>{0, 1500}, {1500, N - 1500}}) {
      BinaryShard part(start.points.slice(first, count), 7);
      for (Index n = 0; n < count; ++n)
        for (Index l = 0; l < 7; ++l) part.Z.set(n, l, start.Z.get(first + n, l));
      sum.objective += BinaryCoordinates({.method = method}).update(model, part, 0.3).objective;
      codes.append(part.Z);
    }
    CHECK(codes == alone.Z);
    CHECK(sum.objective == Approx(expected.objective).epsilon(1e-12));
  }
}

TEST_CASE("A node budget keeps the search short and its codes no worse than alternating ones") {
  RandomStream random(36);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Case start = random_case(random, 14, 8);
    BinaryShard cut = start.shard, plain = start.shard;
    const double found = BinaryCoordinates({.method = BinaryMethod::exact, .node_budget = 5})
                             .update(start.model, cut, start.mu)
                             .objective;
    const double alternating = BinaryCoordinates({.method = BinaryMethod::alternating})
                                   .update(start.model, plain, start.mu)
                                   .objective;
    CHECK(found <= alternating + 1e-9 * std::abs(alternating));
  }
}

TEST_CASE("The automatic method is exact for short codes and alternating for long ones") {
  CHECK(BinaryCoordinates().chosen(16) == BinaryMethod::exact);
  CHECK(BinaryCoordinates().chosen(17) == BinaryMethod::alternating);
  CHECK(BinaryCoordinates({.exact_bits = 3}).chosen(4) == BinaryMethod::alternating);
  CHECK(BinaryCoordinates({.method = BinaryMethod::exact}).chosen(64) == BinaryMethod::exact);
}

TEST_CASE("A Z step that cannot be done is refused, and an empty shard costs nothing") {
  RandomStream random(37);
  const BinaryAutoencoder model = random_autoencoder(4, 3, random);
  BinaryShard other_dimension(float_points(random, 5, 2), 3);
  BinaryShard other_bits(float_points(random, 4, 2), 2);
  BinaryShard good(float_points(random, 4, 2), 3);
  BinaryCoordinates step;
  CHECK_THROWS_AS(step.update(model, other_dimension, 1), parmac::ShapeError);
  CHECK_THROWS_AS(step.update(model, other_bits, 1), parmac::ShapeError);
  CHECK_THROWS_AS(step.project(model, other_bits), parmac::ShapeError);
  CHECK_THROWS_AS(step.update(model, good, -1), parmac::ConfigError);
  CHECK_THROWS_AS(step.update(model, good, std::nan("")), parmac::ConfigError);
  CHECK_THROWS_AS(BinaryCoordinates({.threads = 0}), parmac::ConfigError);
  const BinaryAutoencoder wide = random_autoencoder(4, 21, random);
  BinaryShard long_codes(float_points(random, 4, 2), 21);
  CHECK_THROWS_AS(
      BinaryCoordinates({.method = BinaryMethod::enumeration}).update(wide, long_codes, 1),
      parmac::ConfigError);
  BinaryAutoencoder broken = model;
  broken.decoder()(0, 0) = std::nanf("");
  CHECK_THROWS_AS(step.update(broken, good, 1), parmac::NumericalError);

  BinaryShard empty(good.points.slice(0, 0), 3);
  const CoordinateReport report = step.update(model, empty, 1);
  CHECK(report.objective == 0);
  CHECK(report.before == 0);
  CHECK(report.changed == 0);
}
