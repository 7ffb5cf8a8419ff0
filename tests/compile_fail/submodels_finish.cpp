// expect: your Submodels' finish is never called as it is
#include "sane.hpp"

struct Model : Submodel {
#ifdef SANE
  void finish(SubmodelRange) {}
#else
  void finish() {} // which submodels?
#endif
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
