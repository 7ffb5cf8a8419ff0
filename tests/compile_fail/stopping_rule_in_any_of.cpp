// expect: a StoppingRule needs std::optional<std::string> operator...const IterationReport&.
#include "sane.hpp"

struct Rule {
#ifdef SANE
  std::optional<std::string> operator()(const IterationReport&) { return "enough"; }
#else
  bool operator()(const IterationReport&) { return true; }
#endif
};

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard, {.stop = AnyOf(FixedPoint{}, Rule{})});
}
