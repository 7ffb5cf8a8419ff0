// SPDX-License-Identifier: BSL-1.0
// A message of 2^31 + 8 bytes, more than MPI can count in one, from rank 0 to rank 1.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

#include "parmac/mpi.hpp"

namespace {

constexpr std::uint64_t bytes = (std::uint64_t{1} << 31) + 8;

// What the system could give us now, in bytes; 0 where it does not say.
std::uint64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("MemAvailable:", 0) == 0) return std::stoull(line.substr(13)) * 1024;
  return 0;
}

void go(const boost::mpi::communicator& world) {
  parmac::MpiRing ring(world);
  double enough = ring.rank() == 0 && available_memory() > 3 * bytes ? 1 : 0;
  ring.all_sum(std::span(&enough, 1)); // both go, or neither
  if (enough < 1) {
    if (ring.rank() == 0) std::cout << "skipped: this test needs 6 GiB of free memory\n";
    return;
  }
  const std::uint32_t step = ring.next_step();
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(bytes);
  const std::span<std::byte> payload(memory.get(), bytes);
  const auto word = [&](std::uint64_t at) { return at * 0x9E3779B97F4A7C15; };
  parmac::Waiter waiter(ring.patience(), ring.rank());
  if (ring.rank() == 0) {
    for (std::uint64_t at = 0; at < bytes; at += 8) {
      const std::uint64_t value = word(at);
      std::memcpy(&payload[at], &value, 8);
    }
    ring.send(1, {.bytes = bytes, .step = step}, payload, nullptr);
    while (!ring.settled(payload)) waiter.rest([] { return std::string("the payload to leave"); });
  } else {
    const auto place = [&](int, const parmac::Envelope& envelope) {
      parmac::require<parmac::TransportError>(envelope.bytes == bytes, "a message of ",
                                              envelope.bytes);
      return payload;
    };
    while (!ring.receive(parmac::MessageKind::baton, step, place))
      waiter.rest([] { return std::string("the payload"); });
    for (std::uint64_t at = 0; at < bytes; at += 8) {
      std::uint64_t value = 0;
      std::memcpy(&value, &payload[at], 8);
      if (value != word(at)) throw std::runtime_error(parmac::text("byte ", at, " was altered"));
    }
    std::cout << bytes << " bytes have arrived\n";
  }
}

} // namespace

int main(int argc, char** argv) { return parmac::run_mpi(argc, argv, go); }
