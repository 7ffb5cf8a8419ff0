// SPDX-License-Identifier: BSL-1.0
// Members are declared only: nothing here runs.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parmac/core/topology.hpp"
#include "parmac/core/transport.hpp"

using namespace parmac;

namespace {

enum Piece {
  nothing,
  rank,
  size,
  send,
  settled,
  poll,
  receive,
  next_step,
  all_sum,
  all_gather,
  fail,
  abandon,
  patience
};

template <Piece Missing>
struct Link {
  int rank() const requires(Missing != ::rank);
  int size() const requires(Missing != ::size);
  void send(int, const Envelope&, std::span<const std::byte>,
            std::shared_ptr<const void>) requires(Missing != ::send);
  bool settled(std::span<const std::byte>) requires(Missing != ::settled);
  template <class Place>
  std::optional<Arrival> poll(Place&&) requires(Missing != ::poll);
};
static_assert(Transport<Link<nothing>>);
static_assert(!Transport<Link<rank>>);
static_assert(!Transport<Link<size>>);
static_assert(!Transport<Link<send>>);
static_assert(!Transport<Link<settled>>);
static_assert(!Transport<Link<poll>>);

struct RankNotConst : Link<rank> {
  int rank();
};
static_assert(!Transport<RankNotConst>);
struct SendWithoutOwner : Link<send> {
  void send(int, const Envelope&, std::span<const std::byte>);
};
static_assert(!Transport<SendWithoutOwner>);
struct SendOfWritableBytes : Link<send> {
  void send(int, const Envelope&, std::span<std::byte>, std::shared_ptr<const void>);
};
static_assert(!Transport<SendOfWritableBytes>);
struct SettledSaysNothing : Link<settled> {
  void settled(std::span<const std::byte>);
};
static_assert(!Transport<SettledSaysNothing>);
struct PollWithoutPlace : Link<poll> {
  std::optional<Arrival> poll();
};
static_assert(!Transport<PollWithoutPlace>);
struct PollOfEnvelopes : Link<poll> {
  template <class Place>
  std::optional<Envelope> poll(Place&&);
};
static_assert(!Transport<PollOfEnvelopes>);

template <Piece Missing>
struct Machines {
  int rank() const requires(Missing != ::rank);
  int size() const requires(Missing != ::size);
  void send(int, const Envelope&, std::span<const std::byte>,
            std::shared_ptr<const void>) requires(Missing != ::send);
  bool settled(std::span<const std::byte>) requires(Missing != ::settled);
  template <class Place>
  std::optional<Arrival> receive(MessageKind, std::uint32_t,
                                 Place&&) requires(Missing != ::receive);
  std::uint32_t next_step() requires(Missing != ::next_step);
  void all_sum(std::span<double>) requires(Missing != ::all_sum);
  std::vector<std::string> all_gather(const std::string&) requires(Missing != ::all_gather);
  void fail(const std::string&) requires(Missing != ::fail);
  void abandon() requires(Missing != ::abandon);
  const Patience& patience() const requires(Missing != ::patience);
};
static_assert(Topology<Machines<nothing>>);
static_assert(!Topology<Machines<rank>>);
static_assert(!Topology<Machines<size>>);
static_assert(!Topology<Machines<send>>);
static_assert(!Topology<Machines<settled>>);
static_assert(!Topology<Machines<receive>>);
static_assert(!Topology<Machines<next_step>>);
static_assert(!Topology<Machines<all_sum>>);
static_assert(!Topology<Machines<all_gather>>);
static_assert(!Topology<Machines<fail>>);
static_assert(!Topology<Machines<abandon>>);
static_assert(!Topology<Machines<patience>>);
static_assert(!Topology<Link<nothing>> && !Transport<Machines<nothing>>);

struct PatienceByValue : Machines<patience> {
  Patience patience() const;
};
static_assert(!Topology<PatienceByValue>, "whoever waits keeps a reference");
struct SumOfFloats : Machines<all_sum> {
  void all_sum(std::span<float>);
};
static_assert(!Topology<SumOfFloats>);

} // namespace
