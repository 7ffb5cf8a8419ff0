// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parmac/core/topology.hpp"
#include "parmac/core/transport.hpp"
#include "parmac/ring/waiter.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/little_endian.hpp"

namespace parmac {

/// Machines in a ring over any Transport; models Topology. Everything goes from neighbour to
/// neighbour point to point, sums too, so that no operation needs more of a transport than
/// messages. A Ring can be moved, not copied.
template <class Link>
class Ring {
  static_assert(check_transport<Link>());

  // A message that has come before its operation.
  struct Early {
    int from;
    Envelope envelope;
    std::vector<std::byte> payload;
    bool complete;
  };

public:
  /// @throws ConfigError when a time of the patience is negative or no number.
  explicit Ring(Link link, Patience patience = {})
      : link_(std::make_unique<Link>(std::move(link))),
        patience_(std::make_unique<Patience>(std::move(patience))) {
    patience_->validate();
  }

  [[nodiscard]] int rank() const { return link_->rank(); }
  [[nodiscard]] int size() const { return link_->size(); }
  [[nodiscard]] const Patience& patience() const { return *patience_; }
  [[nodiscard]] Link& link() { return *link_; }

  /// Numbers the operations; every machine starts the same ones in the same order.
  std::uint32_t next_step() { return ++step_; }

  /// As Transport::send.
  void send(int to, const Envelope& envelope, std::span<const std::byte> payload,
            std::shared_ptr<const void> owner = {}) {
    link_->send(to, envelope, payload, std::move(owner));
  }

  /// As Transport::settled.
  [[nodiscard]] bool settled(std::span<const std::byte> memory) { return link_->settled(memory); }

  /// Takes the next message of one operation, if any has arrived. Messages of later operations,
  /// from machines that are ahead, are kept aside.
  /// @throws RemoteError when another machine has failed.
  template <class Place>
  std::optional<Arrival> receive(MessageKind kind, std::uint32_t step, Place&& place) {
    const auto wanted = [&](const Envelope& envelope) {
      return envelope.kind == kind && envelope.step == step;
    };
    for (auto early = early_.begin(); early != early_.end(); ++early)
      if (early->complete && wanted(early->envelope)) return hand_over(early, place);
    const auto sort = [&](int from, const Envelope& envelope) -> std::span<std::byte> {
      if (wanted(envelope)) return place(from, envelope);
      early_.push_back({from, envelope, {}, false});
      auto& payload = early_.back().payload;
      payload.reserve(1); // an address of its own even when empty
      payload.resize(narrow<std::size_t>(envelope.bytes));
      return {payload.data(), payload.size()};
    };
    while (const std::optional<Arrival> arrival = link_->poll(sort)) {
      const auto early = std::find_if(early_.begin(), early_.end(), [&](const Early& e) {
        return e.payload.data() == arrival->payload.data();
      });
      if (early == early_.end()) return arrival;
      early->complete = true; // its header may have come while another operation was under way
      if (wanted(early->envelope)) return hand_over(early, place);
      if (early->envelope.kind == MessageKind::failure)
        throw RemoteError(early->from,
                          std::string(reinterpret_cast<const char*>(early->payload.data()),
                                      early->payload.size()));
      if (early->envelope.step <= step) refuse(*arrival, step);
    }
    return std::nullopt;
  }

  /// Sums over all machines, in the order of their ranks; every machine gets the same bits.
  /// 2(P - 1) messages in all. @throws RemoteError, StallError
  void all_sum(std::span<double> values) {
    const std::uint32_t step = next_step();
    if (size() == 1) return;
    const auto bytes = std::as_writable_bytes(values);
    if (rank() > 0) {
      std::vector<double> partial(values.size());
      await(MessageKind::sum, step, std::as_writable_bytes(std::span(partial)));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = partial[i] + values[i];
    }
    pass_on(MessageKind::sum, step, bytes);
    if (rank() < size() - 1) {
      await(MessageKind::sum, step, bytes);
      if (rank() < size() - 2) pass_on(MessageKind::sum, step, bytes);
    }
  }

  /// Gives every machine the words of all, in the order of their ranks. 2(P - 1) messages in all.
  /// @throws RemoteError, StallError
  std::vector<std::string> all_gather(const std::string& words) {
    const std::uint32_t step = next_step();
    std::string all;
    const auto add = [&](const std::string& more) {
      std::vector<std::byte> length;
      append_little<std::uint64_t>(length, more.size());
      all.append(reinterpret_cast<const char*>(length.data()), length.size()).append(more);
    };
    if (size() == 1) return {words};
    if (rank() > 0) all = await(MessageKind::gather, step);
    add(words);
    pass_on(MessageKind::gather, step, std::as_bytes(std::span(all)));
    if (rank() < size() - 1) {
      all = await(MessageKind::gather, step);
      if (rank() < size() - 2) pass_on(MessageKind::gather, step, std::as_bytes(std::span(all)));
    }
    std::vector<std::string> gathered;
    for (std::size_t at = 0; at < all.size();) {
      const auto length = narrow<std::size_t>(
          load_little<std::uint64_t>(reinterpret_cast<const std::byte*>(all.data() + at)));
      gathered.push_back(all.substr(at + sizeof(std::uint64_t), length));
      at += sizeof(std::uint64_t) + length;
    }
    return gathered;
  }

  /// Tells all other machines, once, that this one has failed, and why; they throw RemoteError
  /// where they wait. Does not wait for them, but gives the news a moment to leave.
  void fail(const std::string& words) {
    if (std::exchange(failed_, true)) return;
    for (int other = 0; other < size(); ++other)
      if (other != rank()) {
        const auto copy = std::make_shared<const std::string>(words);
        link_->send(other, {.bytes = copy->size(), .kind = MessageKind::failure},
                    std::as_bytes(std::span(*copy)), copy);
      }
    abandon();
  }

  /// After a failure: leaves the caller's memory alone, which may be gone soon, so that no message
  /// is read from it or written to it any more. The ring is of no use afterwards.
  void abandon() {
    if constexpr (requires { link_->abandon(); }) link_->abandon();
  }

private:
  template <class Place>
  Arrival hand_over(typename std::list<Early>::iterator early, Place& place) {
    const std::span<std::byte> to = place(early->from, std::as_const(early->envelope));
    require<TransportError>(to.size() == early->payload.size(), "a message of ",
                            early->payload.size(), " bytes from rank ", early->from,
                            " was given room for ", to.size());
    std::copy_n(early->payload.begin(), to.size(), to.begin());
    const Arrival arrival{early->from, early->envelope, to};
    early_.erase(early);
    return arrival;
  }

  [[noreturn]] void refuse(const Arrival& arrival, std::uint32_t step) const {
    throw TransportError(text("rank ", rank(), " is at operation ", step,
                              " and got a message of operation ", arrival.envelope.step,
                              " from rank ", arrival.from,
                              ": do all ranks make the same calls in the same order?"));
  }

  void pass_on(MessageKind kind, std::uint32_t step, std::span<const std::byte> bytes) {
    auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    link_->send((rank() + 1) % size(), {.bytes = copy->size(), .kind = kind, .step = step}, *copy,
                copy);
  }

  template <class Place>
  void await_placed(MessageKind kind, std::uint32_t step, Place&& place) {
    Waiter waiter(*patience_, rank());
    while (!receive(kind, step, place))
      waiter.rest([&] {
        return text(kind == MessageKind::sum ? "a sum" : "words to gather", " (operation ", step,
                    ") from rank ", (rank() + size() - 1) % size());
      });
  }

  void await(MessageKind kind, std::uint32_t step, std::span<std::byte> into) {
    await_placed(kind, step, [&](int from, const Envelope& envelope) {
      require<TransportError>(envelope.bytes == into.size(), "rank ", from, " sums ",
                              envelope.bytes / sizeof(double), " numbers where rank ", rank(),
                              " sums ", into.size() / sizeof(double));
      return into;
    });
  }

  std::string await(MessageKind kind, std::uint32_t step) {
    std::string words;
    await_placed(kind, step, [&](int, const Envelope& envelope) {
      words.resize(narrow<std::size_t>(envelope.bytes));
      return std::as_writable_bytes(std::span(words));
    });
    return words;
  }

  std::unique_ptr<Link> link_;
  std::unique_ptr<Patience> patience_; // a Waiter keeps a reference to it
  std::list<Early> early_;
  std::uint32_t step_ = 0;
  bool failed_ = false;
};

} // namespace parmac
