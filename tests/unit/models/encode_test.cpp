// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <vector>

#include "autoencoders.hpp"

using parmac::BinaryAutoencoder;
using parmac::even_share;
using parmac::Index;
using parmac::PackedCodes;
using parmac::Points;
using parmac::RandomStream;
using namespace parmac::tests;

TEST_CASE("A bit is 1 exactly where its score is above 0") {
  RandomStream random(21);
  Index unclear = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const auto D = static_cast<Index>(1 + random.below(20));
    const auto L = static_cast<Index>(1 + random.below(70));
    const auto N = static_cast<Index>(random.below(50));
    const Points points = repeat % 2 == 0 ? float_points(random, D, N) : byte_points(random, D, N);
    const BinaryAutoencoder model = random_autoencoder(D, L, random);
    const Naive naive(model, points);
    const PackedCodes codes = model.encode(points);
    REQUIRE(codes.size() == N);
    REQUIRE(codes.bits() == L);
    Index wrong = 0;
    for (Index n = 0; n < N; ++n)
      for (Index l = 0; l < L; ++l) {
        if (std::abs(naive.scores(l, n)) < 1e-4)
          ++unclear;
        else if (codes.get(n, l) != (naive.H(l, n) > 0))
          ++wrong;
      }
    CHECK(wrong == 0);
  }
  CHECK(unclear < 50);
}

TEST_CASE("A score of 0 makes a 0, and a bias alone makes a constant bit") {
  RandomStream random(22);
  const Points points = float_points(random, 4, 30);
  BinaryAutoencoder model = random_autoencoder(4, 3, random);
  model.encoder().topRows(4).setZero();
  model.encoder().row(4) << 0, 1, -1;
  const PackedCodes codes = model.encode(points);
  for (Index n = 0; n < 30; ++n) {
    CHECK_FALSE(codes.get(n, 0));
    CHECK(codes.get(n, 1));
    CHECK_FALSE(codes.get(n, 2));
  }
}

TEST_CASE("Codes are the same to the bit however points are cut, shared out or threaded") {
  RandomStream random(23);
  for (const Index N : {Index{1}, Index{5}, Index{1024}, Index{1025}, Index{2600}}) {
    const auto D = static_cast<Index>(1 + random.below(40));
    const auto L = static_cast<Index>(1 + random.below(70));
    // Points on the very planes: wherever rounding went another way, a bit would turn over.
    Eigen::MatrixXf X = dense(byte_points(random, D, N)).cast<float>();
    BinaryAutoencoder model = random_autoencoder(D, L, random);
    for (Index l = 0; l < L; ++l) {
      const auto n = static_cast<Index>(random.below(static_cast<std::uint64_t>(N)));
      Eigen::MatrixXf U = X.col(n), S;
      model.scaling().normalise(U);
      model.scores(U, S);
      model.encoder()(D, l) -= S(l, 0);
    }
    const Points points(X);
    const PackedCodes whole = model.encode(points);
    for (const int threads : {2, 3, 8}) CHECK(model.encode(points, threads) == whole);
    for (const Index machines : {2, 3, 8}) {
      PackedCodes all(L);
      for (Index rank = 0; rank < machines; ++rank) {
        const auto [first, count] = even_share(N, machines, rank);
        all.append(model.encode(points.slice(first, count), 2));
      }
      CHECK(all == whole);
    }
    PackedCodes pieces(L);
    for (Index at = 0; at < N;) {
      const Index count = std::min<Index>(N - at, 1 + static_cast<Index>(random.below(300)));
      pieces.append(model.encode(points.slice(at, count)));
      at += count;
    }
    CHECK(pieces == whole);
  }
}

TEST_CASE("Points of another dimension are refused") {
  RandomStream random(24);
  const BinaryAutoencoder model(5, 2);
  CHECK_THROWS_AS(model.encode(float_points(random, 4, 3)), parmac::ShapeError);
  CHECK_THROWS_AS(model.encode(float_points(random, 5, 3), 0), parmac::ConfigError);
}
