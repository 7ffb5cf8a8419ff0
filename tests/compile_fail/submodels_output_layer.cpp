// expect: your Submodels' output_layer is never called as it is
#include "sane.hpp"

struct Model : Submodel {
#ifdef SANE
  SubmodelRange output_layer() const { return {0, 1}; }
#else
  std::size_t output_layer() const { return 0; }
#endif
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
