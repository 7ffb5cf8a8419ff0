// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "ring_suite.hpp"
#include "thread_outcomes.hpp"

using namespace std::chrono_literals;
using parmac::Envelope;
using parmac::MessageKind;
using parmac::Patience;
using parmac::run_threads;
using parmac::StallReport;
using parmac::ThreadNetwork;
using parmac::ThreadRing;
using parmac::ThreadTransport;
using namespace parmac::tests;

TEST_CASE("Sums and gathers are right on any number of machines, however messages are delayed") {
  for (int machines = 1; machines <= 8; ++machines)
    for (const auto delay : {0us, 300us}) {
      const auto network = std::make_shared<ThreadNetwork>(machines, delay, 3);
      run_threads(network, [](ThreadRing& ring) { check_collectives(ring, 60); });
    }
}

TEST_CASE("A ring of one machine sums and gathers by itself") {
  parmac::SerialRing ring;
  CHECK(ring.rank() == 0);
  CHECK(ring.size() == 1);
  check_collectives(ring, 20);
  CHECK_THROWS_AS(ring.send(0, {}, {}), parmac::TransportError);
}

TEST_CASE("All machines exchange payloads of any size at once") {
  for (const int machines : {2, 3, 8})
    run_threads(machines, [](ThreadRing& ring) {
      for (const std::size_t bytes : {0U, 1U, 4095U, 4096U, 4097U, 1U << 20U})
        check_exchange(ring, bytes);
    });
}

TEST_CASE("A delayed network lets messages overtake, and loses, doubles and alters none") {
  const auto network = std::make_shared<ThreadNetwork>(2, 2ms, 5);
  ThreadTransport sender(network, 0);
  ThreadTransport receiver(network, 1);
  const std::uint32_t count = 300;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::vector<std::byte> payload(i % 7, static_cast<std::byte>(i));
    sender.send(1, {.bytes = payload.size(), .baton = i}, payload, nullptr);
  }
  std::vector<int> times(count, 0);
  std::vector<std::byte> room;
  bool overtaken = false;
  std::uint32_t last = 0;
  for (std::uint32_t got = 0; got < count;)
    if (const auto arrival = receiver.poll([&](int, const Envelope& envelope) {
          room.assign(envelope.bytes, std::byte{});
          return std::span(room);
        })) {
      const std::uint32_t i = arrival->envelope.baton;
      CHECK(arrival->from == 0);
      CHECK(room == std::vector<std::byte>(i % 7, static_cast<std::byte>(i)));
      ++times[i];
      overtaken = overtaken || i < last;
      last = i;
      ++got;
    }
  CHECK(overtaken);
  CHECK(times == std::vector<int>(count, 1));
  std::this_thread::sleep_for(3ms);
  CHECK_FALSE(receiver.poll([&](int, const Envelope&) { return std::span(room); }));
}

TEST_CASE("A network refuses what makes no sense") {
  CHECK_THROWS_AS(ThreadNetwork(0), parmac::ConfigError);
  CHECK_THROWS_AS(ThreadNetwork(2, -1us), parmac::ConfigError);
  ThreadNetwork network(2);
  CHECK_THROWS_AS(network.post(0, 2, {}, {}), parmac::TransportError);
  CHECK_THROWS_AS(network.post(0, -1, {}, {}), parmac::TransportError);
}

TEST_CASE("A message that is given room of another size is refused") {
  const auto network = std::make_shared<ThreadNetwork>(1);
  ThreadTransport machine(network, 0);
  std::vector<std::byte> room(8);
  for (const std::size_t given : {0U, 7U}) {
    machine.send(0, {.bytes = 8}, room, nullptr);
    CHECK_THROWS_AS(
        machine.poll([&](int, const Envelope&) { return std::span(room).first(given); }),
        parmac::TransportError);
  }
}

TEST_CASE("run_threads rethrows the very exception of the machine that failed") {
  struct Own : std::runtime_error {
    using runtime_error::runtime_error;
    int number = 42;
  };
  for (int failing = 0; failing < 4; ++failing) try {
      run_threads(4, [&](ThreadRing& ring) {
        if (ring.rank() == failing) throw Own("mine");
        std::vector<double> values(3);
        for (;;) ring.all_sum(values);
      });
      FAIL("nothing was thrown");
    } catch (const Own& own) {
      CHECK(own.what() == std::string("mine"));
      CHECK(own.number == 42);
    }
}

TEST_CASE("A failure reaches machines that wait for a sum, for words, or for a baton") {
  for (const int waits_for : {0, 1, 2}) {
    const auto outcomes = thread_outcomes(5, [&](ThreadRing& ring) {
      if (ring.rank() == 3) throw std::runtime_error("the disk is gone");
      std::vector<double> values(3);
      for (;;) {
        if (waits_for == 0) ring.all_sum(values);
        if (waits_for == 1) (void)ring.all_gather("words");
        if (waits_for == 2)
          (void)ring.receive(MessageKind::baton, 1,
                             [](int, const Envelope&) { return std::span<std::byte>(); });
        std::this_thread::yield();
      }
    });
    for (std::size_t rank = 0; rank < 5; ++rank) {
      INFO("rank " << rank << " waits for " << waits_for);
      CHECK(outcomes[rank].words == "the disk is gone");
      CHECK(outcomes[rank].type == (rank == 3 ? "std::exception" : "RemoteError"));
      CHECK(outcomes[rank].remote_rank == (rank == 3 ? -1 : 3));
    }
  }
}

TEST_CASE("A failure is told once") {
  const auto network = std::make_shared<ThreadNetwork>(2);
  ThreadRing ring(ThreadTransport(network, 0));
  ring.fail("first");
  ring.fail("second");
  ThreadTransport other(network, 1);
  std::string words;
  const auto place = [&](int, const Envelope& envelope) {
    words.resize(envelope.bytes);
    return std::as_writable_bytes(std::span(words));
  };
  REQUIRE(other.poll(place));
  CHECK(words == "first");
  CHECK_FALSE(other.poll(place));
}

TEST_CASE("Sums of different sizes are refused, and both sizes named") {
  const auto outcomes = thread_outcomes(3, [](ThreadRing& ring) {
    std::vector<double> values(ring.rank() == 1 ? 5 : 4);
    ring.all_sum(values);
  });
  CHECK(outcomes[1].type == "TransportError");
  CHECK(contains(outcomes[1].words, "rank 0 sums 4 numbers where rank 1 sums 5"));
  for (const std::size_t rank : {0U, 2U}) CHECK(outcomes[rank].remote_rank == 1);
}

TEST_CASE("Machines that make different calls are told so") {
  const auto outcomes = thread_outcomes(2, [](ThreadRing& ring) {
    std::vector<double> values(1);
    if (ring.rank() == 0) (void)ring.all_gather("words");
    ring.all_sum(values);
  });
  CHECK(outcomes[1].type == "TransportError");
  CHECK(contains(outcomes[1].words, "do all ranks make the same calls"));
}

TEST_CASE("A machine that waits long says who waits for what and from whom, and goes on") {
  std::mutex mutex;
  std::vector<StallReport> reports;
  const Patience patience{
      .report_after = 0.05, .stop_after = 0, .on_stall = [&](const StallReport& r) {
        const std::lock_guard lock(mutex);
        reports.push_back(r);
      }};
  run_threads(
      3,
      [](ThreadRing& ring) {
        if (ring.rank() == 1) std::this_thread::sleep_for(180ms);
        check_sum(ring, 1, 10);
      },
      patience);
  int by_rank_2 = 0;
  for (const StallReport& report : reports) {
    CHECK(report.rank != 1);
    CHECK(report.seconds >= 0.05);
    if (report.rank != 2) continue;
    ++by_rank_2;
    CHECK(contains(report.text(), "rank 2 has waited"));
    CHECK(contains(report.waiting_for, "a sum"));
    CHECK(contains(report.waiting_for, "from rank 1"));
  }
  CHECK(by_rank_2 >= 1); // and again after as long: up to three times
  CHECK(by_rank_2 <= 4);
}

TEST_CASE("A machine that waits too long gives up, and all end") {
  const Patience patience{
      .report_after = 0, .stop_after = 0.1, .on_stall = [](const StallReport&) {}};
  std::atomic<bool> over = false;
  const auto outcomes = thread_outcomes(
      3,
      [&](ThreadRing& ring) {
        std::vector<double> values(1);
        if (ring.rank() != 1) {
          ring.all_sum(values);
        } else {
          while (!over) std::this_thread::sleep_for(1ms);
          ring.all_sum(values);
        }
      },
      patience, [&](const Outcome&) { over = true; });
  int gave_up = 0;
  for (const std::size_t rank : {0U, 2U}) {
    if (outcomes[rank].type == "StallError") {
      ++gave_up;
      CHECK(contains(outcomes[rank].words, "the limit is 0.1 s"));
    } else {
      CHECK(outcomes[rank].type == "RemoteError");
    }
  }
  CHECK(gave_up >= 1);
  CHECK(outcomes[1].type == "RemoteError");
}

TEST_CASE("No report is made where report_after is 0, and none in time") {
  std::atomic<int> reports = 0;
  for (const double after : {0.0, 60.0})
    run_threads(
        2,
        [](ThreadRing& ring) {
          if (ring.rank() == 1) std::this_thread::sleep_for(30ms);
          check_sum(ring, 1, 2);
        },
        Patience{.report_after = after, .on_stall = [&](const StallReport&) { ++reports; }});
  CHECK(reports == 0);
}

TEST_CASE("A patience that is negative or no number is refused") {
  const auto train = [](ThreadRing&) {};

  CHECK_THROWS_AS(run_threads(2, train, Patience{.report_after = -1}), parmac::ConfigError);
  CHECK_THROWS_AS(run_threads(2, train, Patience{.stop_after = std::nan("")}), parmac::ConfigError);
}
