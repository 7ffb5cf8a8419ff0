// expect: your Submodels' kinds is never called as it is
#include "sane.hpp"

struct Model : Submodel {
#ifdef SANE
  std::vector<SubmodelRange> kinds() const {
    return {{ 0, 1 }};
  }
#else
  std::vector<SubmodelRange> kinds() { return {{0, 1}}; } // not const
#endif
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
