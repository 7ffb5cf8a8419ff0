// expect: a Transport needs std::optional<Arrival> poll.place.
#include "sane.hpp"

struct Link {
  int rank() const { return 0; }
  int size() const { return 1; }
  void send(int, const Envelope&, std::span<const std::byte>, std::shared_ptr<const void>) {}
  bool settled(std::span<const std::byte>) { return true; }
#ifdef SANE
  template <class Place>
  std::optional<Arrival> poll(Place&&) {
    return std::nullopt;
  }
#else
  template <class Place>
  bool poll(Place&&) {
    return false;
  }
#endif
};

void user(Submodel& model, Step& step, Shard& shard) {
  Ring<Link> ring{Link{}};
  Trainer{model, step, ring}.fit(shard);
}
