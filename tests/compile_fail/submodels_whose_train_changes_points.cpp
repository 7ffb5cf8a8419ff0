// expect: your Submodels need train.SubmodelRange, const shard_type&, const Visit&.
#include "sane.hpp"

struct Model {
  using shard_type = Shard;
  std::size_t size() const { return 1; }
#ifdef SANE
  void train(SubmodelRange, const Shard&, const Visit&) {}
#else
  void train(SubmodelRange, Shard&, const Visit&) {} // the shard is not its to change
#endif
  std::span<float> parameters(SubmodelRange) { return weights; }
  std::vector<float> weights;
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
