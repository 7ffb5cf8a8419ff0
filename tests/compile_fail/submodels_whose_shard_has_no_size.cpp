// expect: your Submodels' shard_type needs size.. const
#include "sane.hpp"

struct Points {
#ifdef SANE
  std::size_t size() const { return 1; }
#endif
};

struct Model {
  using shard_type = Points;
  std::size_t size() const { return 1; }
  void train(SubmodelRange, const Points&, const Visit&) {}
  std::span<float> parameters(SubmodelRange) { return weights; }
  std::vector<float> weights;
};

void user(Model& model, Step& step, SerialRing& ring, Points& points) {
  Trainer{model, step, ring}.fit(points);
}
