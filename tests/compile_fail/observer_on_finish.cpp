// expect: this observer's on_finish would never be called
#include "sane.hpp"

struct Watcher {
#ifdef SANE
  void on_finish(const Report&) {}
#else
  void on_finish(Report&) {} // reports are not its to change
#endif
};

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard, Watcher& watcher) {
  Trainer{model, step, ring}.fit(shard, {}, watcher);
}
