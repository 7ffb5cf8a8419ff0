// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

namespace parmac {

/// What a message is about.
enum class MessageKind : std::uint32_t { baton, sum, gather, failure };

/// The header in front of every payload.
struct Envelope {
  std::uint64_t bytes = 0;  ///< Length of the payload.
  std::uint64_t points = 0; ///< Batons: points that the range has learnt from in this W step.
  MessageKind kind = MessageKind::baton;
  std::uint32_t step = 0;     ///< The operation it belongs to, counted alike on all machines.
  std::uint32_t baton = 0;    ///< Batons: which one.
  std::uint32_t position = 0; ///< How many machines it has been to before the receiver.
};
static_assert(std::has_unique_object_representations_v<Envelope>, "no padding goes on the wire");

/// A message that has arrived whole, its payload where the receiver wanted it.
struct Arrival {
  int from = 0;
  Envelope envelope;
  std::span<std::byte> payload;
};

namespace detail {
// Where the payload of a message is to go; asked for when its header has arrived.
using ProbePlace = std::span<std::byte> (*)(int from, const Envelope&);

template <class T>
concept HasRankAndSize = requires(const T& transport) {
  { transport.rank() } -> std::convertible_to<int>;
  { transport.size() } -> std::convertible_to<int>;
};
template <class T>
concept HasSend = requires(T& transport, int to, const Envelope& envelope,
                           std::span<const std::byte> payload, std::shared_ptr<const void> owner) {
  transport.send(to, envelope, payload, owner);
};
template <class T>
concept HasSettle = requires(T& transport, std::span<const std::byte> memory) {
  { transport.settled(memory) } -> std::convertible_to<bool>;
};
template <class T>
concept HasPoll = requires(T& transport, ProbePlace place) {
  { transport.poll(place) } -> std::same_as<std::optional<Arrival>>;
};
} // namespace detail

/// Moves bytes between the machines of a ring, and guesses nothing.
///   - `rank()`, `size()`;
///   - `send(to, envelope, payload, owner)`: never blocks. The payload is read from where it lies
///     until it has left; `owner`, where not null, keeps it alive, else the caller promises to
///     leave it alone until `settled` says so;
///   - `settled(memory)`: true when no send reads from this memory any more;
///     an empty span asks for all sends;
///   - `poll(place)`: lets messages move, and returns one that has arrived whole, if any. When a
///     message's header is in, `place(from, envelope)` says where its payload is to go.
/// Messages may overtake each other. None is lost, doubled or altered.
template <class T>
concept Transport =
    detail::HasRankAndSize<T> && detail::HasSend<T> && detail::HasSettle<T> && detail::HasPoll<T>;

/// Refuses a type that is no Transport with one sentence a missing piece.
template <class T>
consteval bool check_transport() {
  static_assert(detail::HasRankAndSize<T>,
                "parmac: a Transport needs rank() const and size() const; see "
                "docs/howto/transports.md");
  static_assert(
      detail::HasSend<T>,
      "parmac: a Transport needs send(int to, const Envelope&, std::span<const std::byte>, "
      "std::shared_ptr<const void> owner), which never blocks; see "
      "docs/howto/transports.md");
  static_assert(detail::HasSettle<T>,
                "parmac: a Transport needs bool settled(std::span<const std::byte>), whether all "
                "sends from this memory are done; see docs/howto/transports.md");
  static_assert(
      detail::HasPoll<T>,
      "parmac: a Transport needs std::optional<Arrival> poll(place), the next message that "
      "has arrived whole; see docs/howto/transports.md");
  return true;
}

} // namespace parmac
