// expect: your CoordinateStep needs CoordinateReport update.const Model&, Model::shard_type&,
// double mu.
#include "sane.hpp"

struct Coordinates {
#ifdef SANE
  CoordinateReport update(const Submodel&, Shard&, double) { return {}; }
#else
  void update(const Submodel&, Shard&, double) {}
#endif
};

void user(Submodel& model, Coordinates& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
