// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "parmac/testing/archetypes.hpp"
#include "parmac/testing/check_transport.hpp"

using namespace parmac;
using testing::check_transports;

namespace {

std::vector<ThreadTransport> ends(int machines, std::chrono::microseconds delay = {}) {
  const auto network = std::make_shared<ThreadNetwork>(machines, delay, 5);
  std::vector<ThreadTransport> all;
  for (int rank = 0; rank < machines; ++rank) all.emplace_back(network, rank);
  return all;
}

enum class Mistake {
  loses,
  doubles,
  alters,
  truncates_headers,
  never_settled,
  settled_early,
  places_elsewhere,
  wrong_sender,
};

// ThreadTransport with one of the mistakes that a transport can make.
class FaultyTransport {
public:
  FaultyTransport(ThreadTransport link, Mistake mistake)
      : link_(std::move(link)), mistake_(mistake) {}

  [[nodiscard]] int rank() const { return link_.rank(); }
  [[nodiscard]] int size() const { return link_.size(); }

  void send(int to, const Envelope& envelope, std::span<const std::byte> payload,
            const std::shared_ptr<const void>& owner) {
    Envelope header = envelope;
    if (is(Mistake::truncates_headers)) header.points &= 0xFFFFFFFF;
    if (is(Mistake::loses) && payload.size() == 4097) return;
    if (is(Mistake::settled_early) && !owner && !payload.empty()) {
      late_.push_back({to, header, payload}); // read only later, though settled() says true
      return;
    }
    if (is(Mistake::alters) && payload.size() > 4096) {
      std::vector<std::byte> copy(payload.begin(), payload.end());
      copy[4096] ^= std::byte{1};
      link_.send(to, header, copy, nullptr);
      return;
    }
    link_.send(to, header, payload, owner);
    if (is(Mistake::doubles) && payload.size() == 1) link_.send(to, header, payload, owner);
  }

  [[nodiscard]] bool settled(std::span<const std::byte>) { return !is(Mistake::never_settled); }

  template <class Place>
  std::optional<Arrival> poll(Place&& place) {
    if (++polls_ > 40)
      for (const Late& late : std::exchange(late_, {}))
        link_.send(late.to, late.envelope, late.payload, nullptr);
    auto arrival = link_.poll([&](int from, const Envelope& envelope) {
      return place(is(Mistake::wrong_sender) ? rank() : from, envelope);
    });
    if (arrival && is(Mistake::places_elsewhere)) {
      elsewhere_.assign(arrival->payload.begin(), arrival->payload.end());
      arrival->payload = elsewhere_;
    }
    return arrival;
  }

private:
  struct Late {
    int to;
    Envelope envelope;
    std::span<const std::byte> payload;
  };
  [[nodiscard]] bool is(Mistake mistake) const { return mistake_ == mistake; }

  ThreadTransport link_;
  Mistake mistake_;
  int polls_ = 0;
  std::vector<Late> late_;
  std::vector<std::byte> elsewhere_;
};
static_assert(Transport<FaultyTransport>);

} // namespace

TEST_CASE("No law is broken by the ring of threads", "[threads]") {
  for (const int machines : {1, 2, 3}) {
    auto links = ends(machines);
    CHECK(check_transports(std::span(links), {.linger_s = 0.02}) == std::vector<std::string>{});
  }
}

TEST_CASE("Messages that overtake each other break no law", "[threads]") {
  auto links = ends(2, std::chrono::microseconds(3000));
  CHECK(check_transports(std::span(links), {.linger_s = 0.02}) == std::vector<std::string>{});
}

TEST_CASE("No law is broken where there is nobody to talk to") {
  SerialTransport serial;
  CHECK(testing::check_transport(serial, {.linger_s = 0}) == std::vector<std::string>{});
  testing::LeastTransport least(0);
  CHECK(testing::check_transport(least, {.linger_s = 0}) == std::vector<std::string>{});
}

TEST_CASE("Each broken law of a transport is told in words", "[threads]") {
  const std::map<Mistake, std::string> words{
      {Mistake::loses, "never gets message 4 of 4097 bytes"},
      {Mistake::doubles, "more than once"},
      {Mistake::alters, "altered, or before it is whole: byte 4096"},
      {Mistake::truncates_headers, "a header that nobody sent"},
      {Mistake::never_settled, "settled(memory) never becomes true"},
      {Mistake::settled_early, "altered, or before it is whole: byte 0"},
      {Mistake::places_elsewhere, "elsewhere than where place() said"},
      {Mistake::wrong_sender, "a header that nobody sent"},
  };
  for (const auto& [mistake, expected] : words) {
    std::vector<FaultyTransport> links;
    for (const ThreadTransport& link : ends(2)) links.emplace_back(link, mistake);
    const auto sentences = check_transports(std::span(links), {.give_up_s = 0.3, .linger_s = 0.05});
    INFO("expected: " << expected);
    bool told = false;
    for (const std::string& sentence : sentences) {
      UNSCOPED_INFO(sentence);
      told = told || sentence.find(expected) != std::string::npos;
    }
    CHECK(told);
  }
}
