// expect: this observer's on_iteration would never be called
#include "sane.hpp"

struct Watcher {
#ifdef SANE
  void on_iteration(const IterationReport&) {}
#else
  void on_iteration(int, double) {}
#endif
};

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard, Watcher& watcher) {
  Trainer{model, step, ring}.fit(shard, {}, watcher);
}
