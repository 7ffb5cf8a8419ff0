// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "parmac/core/transport.hpp"
#include "parmac/support/clock.hpp"
#include "parmac/testing/broken_laws.hpp"

namespace parmac::testing {

/// How `check_transport` waits.
struct TransportPatience {
  double give_up_s = 30; ///< Messages that have not arrived by then are lost.
  double linger_s = 0.1; ///< How long to look for doubled messages after the last.
};

namespace detail {

/// One machine's end of the exchange; see `check_transport`.
template <Transport Link>
class TransportLaws {
public:
  TransportLaws(Link& link, const TransportPatience& patience)
      : link_(link), patience_(patience), rank_(link.rank()), machines_(link.size()) {}

  std::vector<std::string> broken() {
    laws_.attempt(text("rank ", rank_, "'s exchange"), [&] { exchange(); });
    return std::move(laws_).sentences();
  }

private:
  // Below, at and above 4 KiB, where MPI libraries change from one way of sending to another.
  static constexpr std::size_t sizes[] = {0, 1, 4095, 4096, 4097, std::size_t{1} << 20};
  static constexpr std::size_t rounds = 2; // one leaves memory to an owner, one waits for it

  using Message = std::pair<int, std::uint32_t>; // from whom, and which
  struct Received {
    std::vector<std::byte> payload;
    int arrivals = 0;
  };

  static std::byte content(int from, int to, std::uint32_t id, std::size_t at) {
    const auto mixed = static_cast<std::size_t>(from) * 31 + static_cast<std::size_t>(to) * 17 +
                       std::size_t{id} * 7 + at + at / 251;
    return static_cast<std::byte>(mixed % 251);
  }
  static Envelope envelope(int from, int to, std::uint32_t id, std::size_t bytes) {
    return {.bytes = bytes,
            .points = (std::uint64_t{1} << 40) + id,
            .kind = MessageKind::baton,
            .step = static_cast<std::uint32_t>(to + 1),
            .baton = id,
            .position = static_cast<std::uint32_t>(from)};
  }
  static std::size_t size_of(std::uint32_t id) { return sizes[id % std::size(sizes)]; }
  static constexpr std::uint32_t messages = std::size(sizes) * rounds;

  void exchange() {
    laws_.expect(rank_ >= 0 && rank_ < machines_, "rank() is ", rank_, " of size() ", machines_);
    // All sends come before any poll: a send that waits for its receiver hangs here.
    for (int to = 0; to < machines_; ++to)
      for (std::uint32_t id = 0; to != rank_ && id < messages; ++id) send(to, id);
    const std::size_t expected = static_cast<std::size_t>(machines_ - 1) * messages;
    const Stopwatch clock;
    while ((!settle() || whole_ < expected) && clock.seconds() < patience_.give_up_s) poll();
    const Stopwatch last;
    while (last.seconds() < patience_.linger_s) poll();
    conclude();
  }

  void send(int to, std::uint32_t id) {
    auto memory = std::make_shared<std::vector<std::byte>>(size_of(id));
    for (std::size_t at = 0; at < memory->size(); ++at) (*memory)[at] = content(rank_, to, id, at);
    const std::span<const std::byte> payload(*memory);
    if (id < std::size(sizes)) {
      link_.send(to, envelope(rank_, to, id, payload.size()), payload, std::move(memory));
    } else {
      link_.send(to, envelope(rank_, to, id, payload.size()), payload, nullptr);
      lent_.push_back(std::move(*memory));
    }
  }

  // Memory that `settled` gives back is written over: whoever still reads it sends rubbish.
  bool settle() {
    std::erase_if(lent_, [&](std::vector<std::byte>& memory) {
      if (memory.empty()) return true; // an empty span would ask for all
      if (!link_.settled(std::span<const std::byte>(memory))) return false;
      std::fill(memory.begin(), memory.end(), std::byte{0xFF});
      given_back_.push_back(std::move(memory));
      return true;
    });
    return lent_.empty() && link_.settled(std::span<const std::byte>{});
  }

  void poll() {
    bool placed = false;
    const auto place = [&](int from, const Envelope& header) -> std::span<std::byte> {
      placed = true;
      const bool known = from >= 0 && from < machines_ && from != rank_ &&
                         header.baton < messages &&
                         same(header, envelope(from, rank_, header.baton, size_of(header.baton)));
      require<TransportError>(known, "there is a header that nobody sent, from rank ", from);
      const bool first = !received_.contains({from, header.baton});
      laws_.expect(first, "rank ", rank_, " gets message ", header.baton, " from rank ", from,
                   " more than once");
      Received& room = first ? received_[{from, header.baton}] : doubled_.emplace_back();
      room.payload.reserve(1); // an address of its own even when empty
      room.payload.resize(static_cast<std::size_t>(header.bytes));
      return room.payload;
    };
    const std::optional<Arrival> arrival = link_.poll(place);
    if (!arrival) {
      if (!placed) std::this_thread::yield();
      return;
    }
    const Envelope& header = arrival->envelope;
    for (const Received& doubled : doubled_)
      if (doubled.payload.data() == arrival->payload.data()) return; // told already
    const auto found = received_.find({arrival->from, header.baton});
    if (found == received_.end() || arrival->payload.data() != found->second.payload.data() ||
        arrival->payload.size() != found->second.payload.size()) {
      laws_.expect(false, "rank ", rank_, " gets a message elsewhere than where place() said");
      return;
    }
    Received& message = found->second;
    laws_.expect(same(header, envelope(arrival->from, rank_, header.baton, message.payload.size())),
                 "rank ", rank_, " gets message ", header.baton, " from rank ", arrival->from,
                 " with another header than place() was told");
    for (std::size_t at = 0; at < message.payload.size(); ++at)
      if (message.payload[at] != content(arrival->from, rank_, header.baton, at)) {
        laws_.expect(false, "rank ", rank_, " gets message ", header.baton, " of ",
                     message.payload.size(), " bytes from rank ", arrival->from,
                     " altered, or before it is whole: byte ", at);
        break;
      }
    if (++message.arrivals == 1) ++whole_;
  }

  void conclude() {
    for (int from = 0; from < machines_; ++from)
      for (std::uint32_t id = 0; from != rank_ && id < messages; ++id) {
        const int arrivals = received_[{from, id}].arrivals;
        laws_.expect(arrivals >= 1, "rank ", rank_, " never gets message ", id, " of ", size_of(id),
                     " bytes from rank ", from);
        laws_.expect(arrivals <= 1, "rank ", rank_, " gets message ", id, " from rank ", from,
                     " more than once");
      }
    laws_.expect(lent_.empty(), "rank ", rank_, "'s settled(memory) never becomes true");
    laws_.expect(static_cast<bool>(link_.settled(std::span<const std::byte>{})), "rank ", rank_,
                 "'s settled({}) never becomes true");
  }

  static bool same(const Envelope& a, const Envelope& b) {
    return a.bytes == b.bytes && a.points == b.points && a.kind == b.kind && a.step == b.step &&
           a.baton == b.baton && a.position == b.position;
  }

  Link& link_;
  TransportPatience patience_;
  int rank_;
  int machines_;
  std::map<Message, Received> received_;
  std::list<Received> doubled_;
  std::size_t whole_ = 0;
  std::list<std::vector<std::byte>> lent_;       // to sends without an owner
  std::list<std::vector<std::byte>> given_back_; // and written over since
  BrokenLaws laws_;
};

} // namespace detail

/// Looks for broken laws of a Transport from one machine of it; every machine must call it at the
/// same time. Each sends every other messages of 0, 1, 4095, 4096, 4097 bytes and 1 MiB, with and
/// without an owner, before it receives any. Each must arrive once, whole, where `place` said, and
/// `settled` must become true, not before the memory is free. A `send` that blocks shows as a hang.
/// @returns a sentence a broken law as this machine saw it; empty when all hold.
template <class Link>
[[nodiscard]] std::vector<std::string> check_transport(Link& link,
                                                       TransportPatience patience = {}) {
  static_assert(parmac::check_transport<Link>());
  return detail::TransportLaws<Link>(link, patience).broken();
}

/// The same for all machines of a transport that can live in one process, each on a thread.
/// @param links one end for each rank.
template <class Link>
[[nodiscard]] std::vector<std::string> check_transports(std::span<Link> links,
                                                        TransportPatience patience = {}) {
  std::vector<std::vector<std::string>> broken(links.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < links.size(); ++i)
      threads.emplace_back([&, i] { broken[i] = check_transport(links[i], patience); });
  }
  std::vector<std::string> all;
  for (auto& sentences : broken)
    for (std::string& sentence : sentences) all.push_back(std::move(sentence));
  return all;
}

} // namespace parmac::testing
