// SPDX-License-Identifier: BSL-1.0
#include "model_suite.hpp"

#include "mixed_setup.hpp"
#include "parmac/models/binary_autoencoder.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("A part's bits are linear in the part's own features, in the order of the parts") {
  RandomStream random(1);
  MixedAutoencoder model = MixedSetup{float_points(random, 5, 20)}.model();
  for (MappedHash& part : model.parts())
    for (float& w : part.weights().reshaped()) w = static_cast<float>(random.normal());
  Eigen::MatrixXf U(5, 20);
  for (float& u : U.reshaped()) u = static_cast<float>(random.normal());
  Eigen::MatrixXf S;
  model.scores(U, S);
  REQUIRE(S.rows() == 6);
  const auto& parts = model.parts();
  for (Index n = 0; n < 20; ++n) {
    Eigen::VectorXf all(6), two(3), squares(11);
    all << U.col(n), 1;
    two << U(0, n), U(4, n), 1;
    squares << U.col(n), U.col(n).cwiseAbs2(), 1;
    for (Index l = 0; l < 3; ++l)
      CHECK(S(l, n) == Approx(parts[0].weights().col(l).dot(all)).margin(1e-4));
    for (Index l = 0; l < 2; ++l)
      CHECK(S(3 + l, n) == Approx(parts[1].weights().col(l).dot(two)).margin(1e-4));
    CHECK(S(5, n) == Approx(parts[2].weights().col(0).dot(squares)).margin(1e-4));
  }
}

TEST_CASE("A single part that sees all features learns what the binary autoencoder learns") {
  RandomStream random(2);
  const Points points = byte_points(random, 9, 300);
  const FitSettings fit{.max_iterations = 4, .epochs = 2};
  SerialRing ring;
  BinaryAutoencoder plain(9, 5);
  BinaryShard plain_shard(points, 5);
  start(plain, plain_shard, summing(ring));
  MixedAutoencoder mixed({MappedHash(all_features(9), 5)});
  BinaryShard shard(points, 5);
  start(mixed, shard, summing(ring));
  plain.encoder().setZero(); // as the mixed one's start leaves it
  plain.settings().encoder_step = mixed.parts()[0].settings().first_step;
  BinaryCoordinates coordinates;
  Trainer{plain, coordinates, ring}.fit(plain_shard, fit);
  Trainer{mixed, coordinates, ring}.fit(shard, fit);
  CHECK(bytes_of(mixed.parts()[0].weights()) == bytes_of(plain.encoder()));
  CHECK(bytes_of(mixed.decoder()) == bytes_of(plain.decoder()));
  CHECK(bytes_of(shard.Z.bytes()) == bytes_of(plain_shard.Z.bytes()));
}

TEST_CASE("A visit costs what a part's features ask for, and adds up") {
  RandomStream random(4);
  const MixedAutoencoder model = MixedSetup{float_points(random, 40, 5)}.model();
  CHECK(model.cost({2, 3}) == 2 * 41); // all features
  CHECK(model.cost({3, 4}) == 2 * 3);  // two of them
  CHECK(model.cost({5, 6}) == 2 * 81); // and their squares
  CHECK(model.cost({0, 6}) == 2 * (3 * 41 + 2 * 3 + 81));
  CHECK(model.cost({6, 46}) == 40 * model.cost({7, 8}));
}

TEST_CASE("Parts that do not fit are refused") {
  CHECK_THROWS_AS(MixedAutoencoder(std::vector<MappedHash>{}), ConfigError);
  CHECK_THROWS_AS(
      MixedAutoencoder({MappedHash(all_features(3), 1), MappedHash(all_features(4), 1)}),
      ShapeError);
  CHECK_THROWS_AS(MappedHash(all_features(3), 0), ConfigError);
  CHECK_THROWS_AS(MappedHash({3, 3, nullptr}, 1), ConfigError);
  CHECK_THROWS_AS(selected_features(3, {3}), ConfigError);
  CHECK_THROWS_AS(selected_features(3, {}), ConfigError);
  CHECK_THROWS_AS(all_features(0), ConfigError);
  CHECK_THROWS_AS(MappedHash(all_features(3), 1, {.lambda = -1}), ConfigError);
  CHECK_THROWS_AS(MappedHash(all_features(3), 1, {.minibatch = 0}), ConfigError);
}

TEST_CASE("A mixed autoencoder keeps the promises of every model") {
  RandomStream random(5);
  const MixedSetup setup{byte_points(random, 8, 160)};
  check_promises(setup, {.max_iterations = 3, .epochs = 2});
  check_promises(setup, {.max_iterations = 2, .epochs = 2, .local_epochs = true});
  check_laws(setup, 0.05, [&] { return BinaryShard(setup.points.slice(0, 0), 6); });
}
