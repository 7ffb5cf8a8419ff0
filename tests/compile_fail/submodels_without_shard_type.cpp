// expect: your Submodels need a member type shard_type
#include "sane.hpp"

struct Model {
#ifdef SANE
  using shard_type = Shard;
#endif
  std::size_t size() const { return 1; }
  void train(SubmodelRange, const Shard&, const Visit&) {}
  std::span<float> parameters(SubmodelRange) { return weights; }
  std::vector<float> weights;
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
