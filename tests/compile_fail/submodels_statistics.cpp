// expect: your Submodels' statistics are never called as they are
#include "sane.hpp"

struct Model : Submodel {
#ifdef SANE
  std::span<float> statistics(SubmodelRange) { return weights; }
#else
  std::vector<float> statistics(SubmodelRange) { return weights; } // a copy
#endif
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
