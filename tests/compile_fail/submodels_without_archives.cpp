// expect: include <parmac/serialization.hpp> .parmac/mpi.hpp does. and link parmac::serialization
#include "sane.hpp"

#ifdef SANE
#include "parmac/serialization.hpp"
#endif

struct Model {
  using shard_type = Shard;
  std::size_t size() const { return 1; }
  void train(SubmodelRange, const Shard&, const Visit&) {}
  template <class Archive>
  void serialize(Archive& archive, SubmodelRange) {
    archive& weight;
  }
  float weight = 0;
};

void user(Model& model, Step& step, SerialRing& ring, Shard& shard) {
  Trainer{model, step, ring}.fit(shard);
}
