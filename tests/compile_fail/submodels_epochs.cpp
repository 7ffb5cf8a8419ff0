// expect: your Submodels' epochs is never called as it is
#include "sane.hpp"

struct Model : Submodel {
#ifdef SANE
  int epochs(SubmodelRange, int asked) const { return asked; }
#else
  int epochs(SubmodelRange) const { return 1; }
#endif
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
