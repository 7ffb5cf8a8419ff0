// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "parmac/core/transport.hpp"
#include "parmac/ring/ring.hpp"
#include "parmac/support/error.hpp"

namespace parmac {

/// One machine, which has nobody to talk to.
class SerialTransport {
public:
  [[nodiscard]] int rank() const { return 0; }
  [[nodiscard]] int size() const { return 1; }
  void send(int to, const Envelope&, std::span<const std::byte>,
            const std::shared_ptr<const void>&) {
    throw TransportError(text("a ring of one machine cannot send to rank ", to));
  }
  [[nodiscard]] bool settled(std::span<const std::byte>) const { return true; }
  template <class Place>
  std::optional<Arrival> poll(Place&&) {
    return std::nullopt;
  }
};
static_assert(Transport<SerialTransport>);

/// The ring of a program that runs on one machine: sends nothing.
class SerialRing : public Ring<SerialTransport> {
public:
  SerialRing() : Ring(SerialTransport{}) {}
};
static_assert(Topology<SerialRing>);

} // namespace parmac
