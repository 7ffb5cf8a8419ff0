// expect: your Submodels need size.. const
#include "sane.hpp"

struct Model {
  using shard_type = Shard;
#ifdef SANE
  std::size_t size() const { return 1; }
#endif
  void train(SubmodelRange, const Shard&, const Visit&) {}
  std::span<float> parameters(SubmodelRange) { return weights; }
  std::vector<float> weights;
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
