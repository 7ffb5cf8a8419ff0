// expect: your Submodels cannot travel: give them parameters.SubmodelRange.
#include "sane.hpp"

struct Model {
  using shard_type = Shard;
  std::size_t size() const { return 1; }
  void train(SubmodelRange, const Shard&, const Visit&) {}
#ifdef SANE
  std::span<float> parameters(SubmodelRange) { return weights; }
  std::vector<float> weights;
#endif
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
