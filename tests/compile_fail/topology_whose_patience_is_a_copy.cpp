// expect: a Topology needs fail.std::string., abandon.. and const Patience& patience.. const
#include "sane.hpp"

struct Machines {
  int rank() const { return 0; }
  int size() const { return 1; }
  void send(int, const Envelope&, std::span<const std::byte>, std::shared_ptr<const void>) {}
  bool settled(std::span<const std::byte>) { return true; }
  template <class Place>
  std::optional<Arrival> receive(MessageKind, std::uint32_t, Place&&) {
    return std::nullopt;
  }
  std::uint32_t next_step() { return 0; }
  void all_sum(std::span<double>) {}
  std::vector<std::string> all_gather(const std::string& words) { return {words}; }
  void fail(const std::string&) {}
  void abandon() {}
#ifdef SANE
  const Patience& patience() const { return waits; }
#else
  Patience patience() const { return waits; } // whoever waits refers to it
#endif
  Patience waits;
};

void user(Submodel& model, Step& step, Machines& machines, Shard& shard) {
  Trainer{model, step, machines}.fit(shard);
}
