// expect: this observer watches nothing: give it on_start, on_iteration or on_finish
#include "sane.hpp"

struct Watcher {
#ifdef SANE
  void on_iteration(const IterationReport&) {}
#else
  void on_iteratoin(const IterationReport&) {}
#endif
};

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard, Watcher& watcher) {
  Trainer{model, step, ring}.fit(shard, {}, watcher);
}
