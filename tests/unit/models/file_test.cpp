// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>

#include "autoencoders.hpp"
#include "expect.hpp"
#include "parmac/models/binary_autoencoder/file.hpp"
#include "temporary_folder.hpp"

using parmac::BinaryAutoencoder;
using parmac::DataError;
using parmac::Index;
using parmac::load_binary_autoencoder;
using parmac::RandomStream;
using parmac::save;
using namespace parmac::tests;

namespace {

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int b = 0; b < bytes; ++b) text += static_cast<char>(value >> (8 * b) & 0xFF);
  return text;
}
std::string little(float value) { return little(std::bit_cast<std::uint32_t>(value), 4); }

/// CRC-32 bit by bit, from its definition: the reflected polynomial 0x04C11DB7.
std::uint32_t crc_32(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
}

/// A file as the layout has it, with any head.
struct Parts {
  std::string magic = "PARMACBA";
  std::uint32_t version = 1;
  std::uint32_t number_bytes = 4;
  std::uint64_t D = 0, L = 0;
  float scale = 1;
  std::string numbers = {};

  [[nodiscard]] std::string file() const {
    const std::string body = magic + little(version, 4) + little(number_bytes, 4) + little(D, 8) +
                             little(L, 8) + little(scale) + little(0, 4) + numbers;
    return body + little(crc_32(body), 4);
  }
};

Parts parts_of(const BinaryAutoencoder& model) {
  Parts parts{.D = static_cast<std::uint64_t>(model.features()),
              .L = static_cast<std::uint64_t>(model.bits()),
              .scale = model.scaling().scale()};
  for (const float c : model.scaling().centre()) parts.numbers += little(c);
  for (Index l = 0; l < model.bits(); ++l)
    for (Index d = 0; d <= model.features(); ++d) parts.numbers += little(model.encoder()(d, l));
  for (Index d = 0; d < model.features(); ++d)
    for (Index l = 0; l <= model.bits(); ++l) parts.numbers += little(model.decoder()(l, d));
  return parts;
}

/// What loading these bytes complains of.
std::string complaint(const TemporaryFolder& folder, const std::string& bytes) {
  write_bytes(folder / "model.parmac", bytes);
  try {
    static_cast<void>(load_binary_autoencoder(folder / "model.parmac"));
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("The checksum of the layout is the one of the textbooks") {
  CHECK(crc_32("123456789") == 0xCBF43926); // the check value of CRC-32
}

TEST_CASE("A saved model has the bytes of the layout, and comes back to the bit") {
  const TemporaryFolder folder;
  RandomStream random(51);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const BinaryAutoencoder model = random_autoencoder(
        static_cast<Index>(1 + random.below(20)), static_cast<Index>(1 + random.below(70)), random);
    save(model, folder / "a");
    CHECK(read_bytes(folder / "a") == parts_of(model).file());
    const BinaryAutoencoder back = load_binary_autoencoder(folder / "a", {.lambda = 0.5});
    CHECK(bytes_of(back) == bytes_of(model));
    CHECK(back.settings().lambda == 0.5);
    const parmac::Points points = float_points(random, model.features(), 40);
    CHECK(back.encode(points) == model.encode(points));
  }
}

TEST_CASE("The model file of version 1 is read as ever") {
  const auto golden =
      std::filesystem::path(__FILE__).parent_path() / "../../golden/binary_autoencoder_v1.parmac";
  const BinaryAutoencoder model = load_binary_autoencoder(golden);
  REQUIRE(model.features() == 3);
  REQUIRE(model.bits() == 2);
  CHECK(model.scaling().scale() == 0.5F);
  CHECK(model.scaling().centre() == Eigen::Vector3f(1, 2, 3));
  for (int l = 0; l < 2; ++l) {
    for (int d = 0; d < 3; ++d) {
      CHECK(model.encoder()(d, l) == static_cast<float>(l) + 0.25F * static_cast<float>(d + 1));
      CHECK(model.decoder()(l, d) == static_cast<float>(10 * d + l) + 0.5F);
    }
    CHECK(model.encoder()(3, l) == -static_cast<float>(l + 1));
  }
  for (int d = 0; d < 3; ++d) CHECK(model.decoder()(2, d) == -0.125F * static_cast<float>(d + 1));
  const TemporaryFolder folder;
  save(model, folder / "again");
  CHECK(read_bytes(folder / "again") == read_bytes(golden));
}

TEST_CASE("A model file cut anywhere, or longer than it says, is refused") {
  const TemporaryFolder folder;
  RandomStream random(52);
  const std::string good = parts_of(random_autoencoder(3, 2, random)).file();
  REQUIRE(complaint(folder, good).empty());
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(length);
    CHECK(contains(complaint(folder, good.substr(0, length)), "model.parmac"));
  }
  CHECK(contains(complaint(folder, good + '\0'), std::to_string(good.size() + 1) + " bytes"));
  CHECK(!complaint(folder, good + good).empty());
}

TEST_CASE("A model file with any bit turned over is refused") {
  const TemporaryFolder folder;
  RandomStream random(53);
  const std::string good = parts_of(random_autoencoder(2, 2, random)).file();
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const int turned : {0x01, 0x80, 0xFF}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ turned);
      INFO(at);
      CHECK(contains(complaint(folder, bad), "model.parmac"));
    }
}

TEST_CASE("Heads that do not fit are refused before anything is allocated") {
  const TemporaryFolder folder;
  RandomStream random(54);
  const Parts good = parts_of(random_autoencoder(2, 3, random));
  const auto altered = [&](auto&& alter) {
    Parts parts = good;
    alter(parts);
    return complaint(folder, parts.file());
  };
  REQUIRE(altered([](Parts&) {}).empty());
  const std::string newer = altered([](Parts& p) { p.version = 7; });
  CHECK(contains(newer, "version 7"));
  CHECK(contains(newer, "version 1"));
  CHECK(contains(altered([](Parts& p) { p.version = 0; }), "version 0"));
  CHECK(contains(altered([](Parts& p) { p.magic = "PARMACBB"; }), "PARMACBA"));
  CHECK(contains(altered([](Parts& p) { p.number_bytes = 8; }), "8 bytes a number"));
  for (const std::uint64_t huge :
       {std::uint64_t{0}, std::uint64_t{1} << 24, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
        std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    CHECK(contains(altered([&](Parts& p) { p.D = huge; }), std::to_string(huge)));
    CHECK(contains(altered([&](Parts& p) { p.L = huge; }), std::to_string(huge)));
    CHECK(!altered([&](Parts& p) { p.D = p.L = huge; }).empty());
  }
  CHECK(!altered([](Parts& p) { p.D = p.L = (1 << 24) - 1; }).empty());
  CHECK(!altered([](Parts& p) { std::swap(p.D, p.L); }).empty());
  for (const float scale : {0.0F, -1.0F, std::nanf(""), INFINITY})
    CHECK(contains(altered([&](Parts& p) { p.scale = scale; }), "scale"));
  CHECK(contains(altered([](Parts& p) { p.numbers.replace(0, 4, little(std::nanf(""))); }),
                 "centre"));
}

TEST_CASE("What is no model file is refused by name, and what cannot be written leaves nothing") {
  const TemporaryFolder folder;
  for (const std::filesystem::path& path :
       {folder / "missing", folder.path(), std::filesystem::path("/dev/null"),
        std::filesystem::path("/dev/zero")})
    try {
      static_cast<void>(load_binary_autoencoder(path));
      FAIL(path << " was read");
    } catch (const DataError& error) {
      CHECK(contains(error.what(), path.string()));
    }
  const BinaryAutoencoder model(3, 2);
  CHECK_THROWS_AS(save(model, folder / "no such folder/model.parmac"), DataError);
  CHECK_THROWS_AS(save(model, "/dev/full"), DataError);
  std::filesystem::create_directory(folder / "taken");
  CHECK_THROWS_AS(save(model, folder / "taken"), DataError);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK(entry.path().filename() == "taken");
}
