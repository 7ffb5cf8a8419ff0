// expect: your Submodels' cost is never called as it is
#include "sane.hpp"

struct Model : Submodel {
#ifdef SANE
  double cost(SubmodelRange) const { return 1; }
#else
  double cost(std::size_t) const { return 1; } // of one submodel instead of a range
#endif
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
