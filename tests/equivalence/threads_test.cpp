// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "autoencoders.hpp"
#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"

using namespace std::chrono_literals;
using parmac::BinaryAutoencoderSettings;
using parmac::BinaryCoordinatesSettings;
using parmac::DecoderFit;
using parmac::FitSettings;
using parmac::Index;
using parmac::Points;
using parmac::RandomStream;
using parmac::SerialRing;
using parmac::ThreadNetwork;
using parmac::ThreadRing;
using namespace parmac::tests;

namespace {

struct Whole {
  std::vector<std::string> models; ///< of every machine
  std::string codes;               ///< of all points
  friend bool operator==(const Whole&, const Whole&) = default;
};

Whole train(int machines, const Points& points, Index L, const FitSettings& fit,
            const BinaryAutoencoderSettings& settings = {}, const BinaryCoordinatesSettings& z = {},
            std::chrono::microseconds delay = 0us, std::uint64_t weather = 0) {
  std::vector<Learned> parts(static_cast<std::size_t>(machines));
  parmac::run_threads(
      std::make_shared<ThreadNetwork>(machines, delay, weather), [&](ThreadRing& ring) {
        parts[static_cast<std::size_t>(ring.rank())] = learn(ring, points, L, fit, settings, z);
      });
  Whole whole;
  for (const Learned& part : parts) {
    whole.models.push_back(part.model);
    whole.codes += part.codes;
  }
  return whole;
}

const FitSettings short_fit{.max_iterations = 3, .epochs = 2};

} // namespace

TEST_CASE("A ring of one thread trains as no ring at all, to the bit") {
  RandomStream random(71);
  const Points points = byte_points(random, 9, 400);
  for (const DecoderFit decoder : {DecoderFit::exact, DecoderFit::sgd}) {
    SerialRing ring;
    const Learned serial = learn(ring, points, 6, short_fit, {.decoder = decoder});
    const Whole thread = train(1, points, 6, short_fit, {.decoder = decoder});
    CHECK(thread.models[0] == serial.model);
    CHECK(thread.codes == serial.codes);
  }
}

TEST_CASE("All machines end with the same model, with more or fewer submodels than machines") {
  RandomStream random(72);
  for (const auto& [D, L] : {std::pair<Index, Index>{9, 6}, {2, 1}, {1, 1}})
    for (const int machines : {2, 3, 5, 8}) {
      const Whole whole = train(machines, byte_points(random, D, 200), L, short_fit);
      for (const std::string& model : whole.models) CHECK(model == whole.models[0]);
    }
}

TEST_CASE("A second training, delays, other routes' delays and threads change no bit") {
  RandomStream random(73);
  const Points points = byte_points(random, 7, 180);
  for (const DecoderFit decoder : {DecoderFit::exact, DecoderFit::sgd})
    for (const bool shuffle : {false, true}) {
      FitSettings fit = short_fit;
      fit.shuffle_ring = shuffle;
      const BinaryAutoencoderSettings settings{.decoder = decoder};
      const Whole first = train(4, points, 5, fit, settings);
      CHECK(train(4, points, 5, fit, settings) == first);
      CHECK(train(4, points, 5, fit, settings, {}, 400us, 1) == first);
      CHECK(train(4, points, 5, fit, settings, {}, 400us, 2) == first);
      CHECK(train(4, points, 5, fit, settings, {.threads = 4}) == first);
      fit.seed = 2;
      CHECK_FALSE(train(4, points, 5, fit, settings) == first);
    }
}

TEST_CASE("Another order of the machines trains another model, and local epochs do too") {
  RandomStream random(74);
  const Points points = byte_points(random, 7, 180);
  const Whole plain = train(4, points, 5, short_fit);
  FitSettings fit = short_fit;
  fit.shuffle_ring = true;
  CHECK_FALSE(train(4, points, 5, fit) == plain);
  fit = short_fit;
  fit.local_epochs = true;
  CHECK_FALSE(train(4, points, 5, fit) == plain);
}

TEST_CASE("With one epoch, local epochs are the standard form, to the bit") {
  RandomStream random(75);
  const Points points = byte_points(random, 7, 180);
  for (const int machines : {1, 2, 3, 8}) {
    FitSettings fit{.max_iterations = 3};
    const Whole standard = train(machines, points, 5, fit, {.decoder = DecoderFit::sgd});
    fit.local_epochs = true;
    CHECK(train(machines, points, 5, fit, {.decoder = DecoderFit::sgd}) == standard);
  }
}
