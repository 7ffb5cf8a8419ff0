// expect: a StoppingRule is held by value: it needs to be copyable
#include "sane.hpp"

struct Rule {
  std::optional<std::string> operator()(const IterationReport&) { return "enough"; }
#ifdef SANE
  std::shared_ptr<int> left;
#else
  std::unique_ptr<int> left;
#endif
};

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard, {.stop = Rule{}});
}
