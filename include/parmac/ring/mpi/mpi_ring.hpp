// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/exception.hpp>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/transport.hpp"
#include "parmac/ring/ring.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/clock.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// Settings of the MPI transport.
struct MpiSettings {
  /// Longer payloads travel in several messages; MPI counts in int, so at most 2^31 - 1.
  std::uint64_t max_chunk_bytes = std::uint64_t{1} << 30;
  /// Every send waits, in the background, for its receive: shows whether a program relies on
  /// buffers that MPI need not have. For debugging.
  bool synchronous_sends = false;
};

/// Raw bytes over MPI. A message is a header and the payload in chunks, each an immediate send from
/// where the bytes lie; the receiver matches a header (from any source), then receives the chunks
/// from that source straight to where they belong, so no payload is ever copied here. Boost.MPI's
/// serialised messages are not used: they hang in a ring above the eager limit, and count in int.
/// Only one thread may use it at a time; MPI_THREAD_SINGLE is enough. Models Transport.
class MpiTransport {
public:
  /// Duplicates the communicator, so that messages of others never meet ours; collective.
  /// @throws ConfigError for a chunk limit of 0 or above 2^31 - 1.
  explicit MpiTransport(const boost::mpi::communicator& world, MpiSettings settings = {})
      : world_(world, boost::mpi::comm_duplicate), settings_(settings) {
    require(settings.max_chunk_bytes >= 1 && settings.max_chunk_bytes <= 0x7FFFFFFF,
            "the chunk limit is ", settings.max_chunk_bytes, " bytes; it must be 1 to 2147483647");
  }
  MpiTransport(MpiTransport&&) = default;
  MpiTransport& operator=(MpiTransport&&) = delete;
  ~MpiTransport() {
    try {
      wind_up();
    } catch (const boost::mpi::exception&) { // of no use to anyone any more
    }
  }

  [[nodiscard]] int rank() const { return world_.rank(); }
  [[nodiscard]] int size() const { return world_.size(); }

  void send(int to, const Envelope& envelope, std::span<const std::byte> payload,
            std::shared_ptr<const void> owner) {
    Outgoing& message = outgoing_.emplace_back(Outgoing{envelope, payload, std::move(owner), {}});
    const auto start = [&](const void* from, std::size_t bytes, int tag) {
      MPI_Request& request = message.requests.emplace_back(MPI_REQUEST_NULL);
      check(settings_.synchronous_sends
                ? MPI_Issend(from, narrow<int>(bytes), MPI_BYTE, to, tag, world_, &request)
                : MPI_Isend(from, narrow<int>(bytes), MPI_BYTE, to, tag, world_, &request),
            "MPI_Isend");
    };
    start(&message.envelope, sizeof(Envelope), header_tag);
    for_each_chunk(payload, [&](std::span<const std::byte> chunk) {
      start(chunk.data(), chunk.size(), payload_tag);
    });
    progress_sends();
  }

  [[nodiscard]] bool settled(std::span<const std::byte> memory) {
    progress_sends();
    if (memory.empty()) return outgoing_.empty();
    const auto* end = memory.data() + memory.size();
    return std::none_of(outgoing_.begin(), outgoing_.end(), [&](const Outgoing& message) {
      return message.payload.data() < end &&
             memory.data() < message.payload.data() + message.payload.size();
    });
  }

  template <class Place>
  std::optional<Arrival> poll(Place&& place) {
    progress_sends();
    int found = 1;
    while (found != 0) {
      MPI_Message header = MPI_MESSAGE_NULL;
      MPI_Status status;
      check(MPI_Improbe(MPI_ANY_SOURCE, header_tag, world_, &found, &header, &status),
            "MPI_Improbe");
      if (found == 0) break;
      Incoming message{status.MPI_SOURCE, {}, {}, {}};
      check(MPI_Mrecv(&message.envelope, sizeof(Envelope), MPI_BYTE, &header, MPI_STATUS_IGNORE),
            "MPI_Mrecv");
      message.payload = place(message.from, std::as_const(message.envelope));
      require<TransportError>(message.payload.size() == message.envelope.bytes, "a message of ",
                              message.envelope.bytes, " bytes from rank ", message.from,
                              " was given room for ", message.payload.size());
      for_each_chunk(message.payload, [&](std::span<std::byte> chunk) {
        MPI_Request& request = message.requests.emplace_back(MPI_REQUEST_NULL);
        check(MPI_Irecv(chunk.data(), narrow<int>(chunk.size()), MPI_BYTE, message.from,
                        payload_tag, world_, &request),
              "MPI_Irecv");
      });
      incoming_.push_back(std::move(message));
    }
    for (auto message = incoming_.begin(); message != incoming_.end(); ++message)
      if (done(message->requests)) {
        const Arrival arrival{message->from, message->envelope, message->payload};
        incoming_.erase(message);
        return arrival;
      }
    return std::nullopt;
  }

  /// Ends what is under way: waits a moment for messages that are half through, then forgets them.
  void abandon() {
    // Never given back: MPI would give the number of a freed communicator to the next one, which
    // would then receive what is still on its way in this one.
    new boost::mpi::communicator(world_);
    wind_up();
  }

private:
  void wind_up() {
    if (outgoing_.empty() && incoming_.empty()) return;
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0) return;
    for (Incoming& message : incoming_)
      for (MPI_Request& request : message.requests)
        if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
    const Stopwatch clock;
    while (!(outgoing_.empty() && incoming_.empty()) && clock.seconds() < 1) {
      progress_sends();
      incoming_.remove_if([&](Incoming& message) { return done(message.requests); });
    }
  }

  struct Outgoing {
    Envelope envelope;
    std::span<const std::byte> payload;
    std::shared_ptr<const void> owner;
    std::vector<MPI_Request> requests;
  };
  struct Incoming {
    int from;
    Envelope envelope;
    std::span<std::byte> payload;
    std::vector<MPI_Request> requests;
  };

  static constexpr int header_tag = 1;
  static constexpr int payload_tag = 2;

  static void check(int code, const char* call) {
    if (code != MPI_SUCCESS) throw boost::mpi::exception(call, code);
  }

  template <class Byte, class Use>
  void for_each_chunk(std::span<Byte> bytes, Use&& use) const {
    const auto limit = static_cast<std::size_t>(settings_.max_chunk_bytes);
    for (std::size_t at = 0; at < bytes.size(); at += limit)
      use(bytes.subspan(at, std::min(limit, bytes.size() - at)));
  }

  static bool done(std::vector<MPI_Request>& requests) {
    int all = 1;
    if (!requests.empty())
      check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all,
                        MPI_STATUSES_IGNORE),
            "MPI_Testall");
    return all != 0;
  }

  void progress_sends() {
    outgoing_.remove_if([](Outgoing& message) { return done(message.requests); });
  }

  boost::mpi::communicator world_;
  MpiSettings settings_;
  std::list<Outgoing> outgoing_; // a list: MPI reads the envelopes where they lie
  std::list<Incoming> incoming_;
};
static_assert(Transport<MpiTransport>);

/// The ranks of an MPI communicator as the machines of a ring.
class MpiRing : public Ring<MpiTransport> {
public:
  /// Collective over `world`, of which it uses a duplicate. @throws ConfigError
  explicit MpiRing(const boost::mpi::communicator& world, MpiSettings settings = {},
                   Patience patience = {})
      : Ring(MpiTransport(world, settings), std::move(patience)) {}
};
static_assert(Topology<MpiRing>);

} // namespace parmac
