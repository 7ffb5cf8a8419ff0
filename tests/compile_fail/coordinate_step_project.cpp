// expect: your CoordinateStep's project is never called as it is
#include "sane.hpp"

struct Coordinates {
  CoordinateReport update(const Submodel&, Shard&, double) { return {}; }
#ifdef SANE
  CoordinateReport project(const Submodel&, Shard&) { return {}; }
#else
  CoordinateReport project(Shard&) { return {}; } // where is the model?
#endif
};

void user(Submodel& model, Coordinates& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
