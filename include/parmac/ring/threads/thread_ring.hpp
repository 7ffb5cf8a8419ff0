// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "parmac/core/transport.hpp"
#include "parmac/ring/ring.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/random.hpp"

namespace parmac {

/// The letter boxes of P machines that are threads of one process. A delay above 0 holds every
/// message back for a random time up to it, so that messages overtake each other: a test double
/// for networks, with delays that are a function of the seed.
class ThreadNetwork {
public:
  /// @throws ConfigError unless machines >= 1 and the delay is not negative.
  explicit ThreadNetwork(int machines, std::chrono::microseconds longest_delay = {},
                         std::uint64_t seed = 0)
      : delay_(longest_delay), seed_(seed) {
    require(machines >= 1, "a ring has at least one machine, not ", machines);
    require(longest_delay.count() >= 0, "a delay of ", longest_delay.count(), " us is negative");
    for (int i = 0; i < machines; ++i) boxes_.push_back(std::make_unique<Box>());
  }

  [[nodiscard]] int size() const { return static_cast<int>(boxes_.size()); }

  /// Puts a copy of the message into a letter box. @throws TransportError for an unknown rank.
  void post(int from, int to, const Envelope& envelope, std::span<const std::byte> payload) {
    require<TransportError>(to >= 0 && to < size(), "there is no rank ", to, " in a ring of ",
                            size());
    auto now = std::chrono::steady_clock::now();
    Box& box = *boxes_[static_cast<std::size_t>(to)];
    const std::lock_guard lock(box.mutex);
    if (delay_.count() > 0) {
      RandomStream random(seed_, static_cast<std::uint64_t>(to), box.posted);
      now +=
          std::chrono::microseconds(random.below(static_cast<std::uint64_t>(delay_.count()) + 1));
    }
    ++box.posted;
    box.letters.push_back({now, from, envelope, {payload.begin(), payload.end()}});
  }

  /// Hands out the first letter that is due to `rank`, if any.
  template <class Place>
  std::optional<Arrival> take(int rank, Place&& place) {
    std::optional<Letter> letter;
    {
      Box& box = *boxes_[static_cast<std::size_t>(rank)];
      const std::lock_guard lock(box.mutex);
      const auto now = std::chrono::steady_clock::now();
      for (auto it = box.letters.begin(); it != box.letters.end(); ++it)
        if (it->due <= now) {
          letter = std::move(*it);
          box.letters.erase(it);
          break;
        }
    }
    if (!letter) return std::nullopt;
    const std::span<std::byte> to = place(letter->from, letter->envelope);
    require<TransportError>(to.size() == letter->payload.size(), "a message of ",
                            letter->payload.size(), " bytes from rank ", letter->from,
                            " was given room for ", to.size());
    std::copy(letter->payload.begin(), letter->payload.end(), to.begin());
    return Arrival{letter->from, letter->envelope, to};
  }

private:
  struct Letter {
    std::chrono::steady_clock::time_point due;
    int from;
    Envelope envelope;
    std::vector<std::byte> payload;
  };
  struct Box {
    std::mutex mutex;
    std::uint64_t posted = 0;
    std::deque<Letter> letters;
  };

  std::chrono::microseconds delay_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<Box>> boxes_;
};

/// One thread's end of a ThreadNetwork; models Transport.
class ThreadTransport {
public:
  ThreadTransport(std::shared_ptr<ThreadNetwork> network, int rank)
      : network_(std::move(network)), rank_(rank) {}

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return network_->size(); }
  void send(int to, const Envelope& envelope, std::span<const std::byte> payload,
            const std::shared_ptr<const void>&) {
    network_->post(rank_, to, envelope, payload);
  }
  [[nodiscard]] bool settled(std::span<const std::byte>) const { return true; } // copied at once
  template <class Place>
  std::optional<Arrival> poll(Place&& place) {
    return network_->take(rank_, std::forward<Place>(place));
  }

private:
  std::shared_ptr<ThreadNetwork> network_;
  int rank_;
};
static_assert(Transport<ThreadTransport>);

/// One of P machines that are threads of one process.
using ThreadRing = Ring<ThreadTransport>;
static_assert(Topology<ThreadRing>);

/// Runs `machine(ThreadRing&)` on every machine of the network, a thread each, and returns when all
/// are done. When machines throw, the others learn of it where they wait, and the exception of the
/// lowest rank that failed of itself goes to the caller after all threads have ended. @throws
/// ConfigError for a patience out of range.
template <class Machine>
void run_threads(std::shared_ptr<ThreadNetwork> network, Machine&& machine,
                 Patience patience = {}) {
  patience.validate();
  const auto machines = static_cast<std::size_t>(network->size());
  std::vector<std::exception_ptr> own(machines);
  std::vector<std::exception_ptr> others(machines);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < machines; ++i)
      threads.emplace_back([&, i] {
        ThreadRing ring(ThreadTransport(network, static_cast<int>(i)), patience);
        try {
          machine(ring);
        } catch (const RemoteError&) {
          others[i] = std::current_exception();
        } catch (const std::exception& failure) {
          own[i] = std::current_exception();
          ring.fail(failure.what());
        }
      });
  }
  for (const auto& failures : {own, others})
    for (const auto& failure : failures)
      if (failure) std::rethrow_exception(failure);
}

/// The same over a fresh network without delays.
template <class Machine>
void run_threads(int machines, Machine&& machine, Patience patience = {}) {
  run_threads(std::make_shared<ThreadNetwork>(machines), std::forward<Machine>(machine),
              std::move(patience));
}

} // namespace parmac
