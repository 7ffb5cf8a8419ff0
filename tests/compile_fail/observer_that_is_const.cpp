// expect: this observer's on_iteration would never be called
#include "sane.hpp"

struct Watcher {
  void on_iteration(const IterationReport&) { ++calls; }
  int calls = 0;
};

#ifdef SANE
using Passed = Watcher;
#else
using Passed = const Watcher;
#endif

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard, Passed& watcher) {
  Trainer{model, step, ring}.fit(shard, {}, watcher);
}
