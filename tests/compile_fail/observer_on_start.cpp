// expect: this observer's on_start would never be called
#include "sane.hpp"

struct Watcher {
#ifdef SANE
  void on_start(const RunInfo&) {}
#else
  void on_start() {}
#endif
};

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard, Watcher& watcher) {
  Trainer{model, step, ring}.fit(shard, {}, watcher);
}
