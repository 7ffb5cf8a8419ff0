// expect: a PenaltySchedule is held by value: it needs to be copyable
#include "sane.hpp"

struct Schedule {
  double operator()(int) const { return 1; }
#ifdef SANE
  std::shared_ptr<double> mu;
#else
  std::unique_ptr<double> mu;
#endif
};

void user(Submodel& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard, {.penalty = Schedule{}});
}
