// expect: a PenaltySchedule needs double operator...int iteration. const
#include "sane.hpp"

struct Schedule {
#ifdef SANE
  double operator()(int) const { return 1; }
#else
  double mu(int) const { return 1; }
#endif
};

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard, {.penalty = Schedule{}});
}
