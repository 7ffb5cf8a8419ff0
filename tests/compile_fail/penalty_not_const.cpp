// expect: a PenaltySchedule needs double operator...int iteration. const
#include "sane.hpp"

struct Schedule {
#ifdef SANE
  double operator()(int iteration) const { return mu * (iteration + 1); }
#else
  double operator()(int) { return mu *= 2; } // asked twice, it says two things
#endif
  double mu = 1;
};

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard, {.penalty = Schedule{}});
}
