// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expect.hpp"
#include "parmac/core/topology.hpp"
#include "parmac/ring/waiter.hpp"
#include "parmac/support/random.hpp"

namespace parmac::tests {

/// What rank `rank` brings to operation `operation`: numbers whose sum depends on its order.
inline std::vector<double> numbers_of(int rank, std::uint64_t operation, std::size_t count) {
  RandomStream random(17, operation, static_cast<std::uint64_t>(rank));
  std::vector<double> numbers(count);
  for (double& x : numbers)
    x = random.normal() * std::pow(10.0, static_cast<double>(random.below(17)));
  return numbers;
}

inline std::string words_of(int rank, std::uint64_t operation) {
  RandomStream random(18, operation, static_cast<std::uint64_t>(rank));
  std::string words(random.below(3) == 0 ? 0 : random.below(300), ' ');
  for (char& c : words) c = static_cast<char>(random.below(256)); // zeros and newlines too
  return words;
}

/// all_sum adds in the order of the ranks, to the bit, on every machine.
template <Topology Machines>
void check_sum(Machines& ring, std::uint64_t operation, std::size_t count) {
  std::vector<double> expected = numbers_of(0, operation, count);
  for (int rank = 1; rank < ring.size(); ++rank) {
    const std::vector<double> more = numbers_of(rank, operation, count);
    for (std::size_t i = 0; i < count; ++i) expected[i] += more[i];
  }
  std::vector<double> values = numbers_of(ring.rank(), operation, count);
  ring.all_sum(values);
  expect(count == 0 || std::memcmp(values.data(), expected.data(), count * sizeof(double)) == 0,
         "operation ", operation, ": the sum of ", count, " numbers over ", ring.size(),
         " machines differs on rank ", ring.rank());
}

/// all_gather gives everybody's words in the order of the ranks.
template <Topology Machines>
void check_gather(Machines& ring, std::uint64_t operation) {
  const std::vector<std::string> all = ring.all_gather(words_of(ring.rank(), operation));
  expect(all.size() == static_cast<std::size_t>(ring.size()), "operation ", operation,
         ": gathered ", all.size(), " words from ", ring.size(), " machines");
  for (int rank = 0; rank < ring.size(); ++rank)
    expect(all[static_cast<std::size_t>(rank)] == words_of(rank, operation), "operation ",
           operation, ": rank ", ring.rank(), " got other words than rank ", rank, " gave");
}

/// Many operations of different kinds and sizes, none waiting for the machines to be level.
template <Topology Machines>
void check_collectives(Machines& ring, std::uint64_t operations) {
  RandomStream random(19, operations);
  for (std::uint64_t operation = 0; operation < operations; ++operation) switch (random.below(4)) {
    case 0:
      check_gather(ring, operation);
      break;
    case 1:
      check_sum(ring, operation, 0);
      break;
    case 2:
      check_sum(ring, operation, 1);
      break;
    default:
      check_sum(ring, operation, static_cast<std::size_t>(random.below(2000)));
    }
}

/// All machines send to their successor at once, before anyone receives; every byte arrives.
template <Topology Machines>
void check_exchange(Machines& ring, std::size_t bytes) {
  const std::uint32_t step = ring.next_step();
  if (ring.size() == 1) return;
  const auto pattern = [bytes](int rank) {
    std::vector<std::byte> payload(bytes);
    RandomStream random(20, bytes, static_cast<std::uint64_t>(rank));
    std::size_t at = 0;
    for (; at + 4 <= bytes; at += 4) {
      const std::uint32_t word = random.word();
      std::memcpy(payload.data() + at, &word, 4);
    }
    for (; at < bytes; ++at) payload[at] = static_cast<std::byte>(random.word());
    return payload;
  };
  const std::vector<std::byte> out = pattern(ring.rank());
  std::vector<std::byte> in(bytes);
  ring.send((ring.rank() + 1) % ring.size(),
            {.bytes = bytes, .kind = MessageKind::baton, .step = step, .baton = 3, .position = 7},
            out);
  const int before = (ring.rank() + ring.size() - 1) % ring.size();
  Waiter waiter(ring.patience(), ring.rank());
  std::optional<Arrival> arrival;
  while (
      !(arrival = ring.receive(MessageKind::baton, step, [&](int from, const Envelope& envelope) {
        expect(from == before && envelope.bytes == bytes && envelope.baton == 3 &&
                   envelope.position == 7,
               "a message of ", envelope.bytes, " bytes came from rank ", from);
        return std::span(in);
      })))
    waiter.rest([] { return std::string("a payload"); });
  expect(in == pattern(before), "a payload of ", bytes, " bytes was altered on its way to rank ",
         ring.rank());
  while (!ring.settled(out)) waiter.rest([] { return std::string("a payload to leave"); });
}

} // namespace parmac::tests
