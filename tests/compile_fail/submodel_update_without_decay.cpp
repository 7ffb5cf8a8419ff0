// expect: a SubmodelUpdate needs decay.. const
#include "sane.hpp"

struct Update {
  void step(Eigen::Ref<Eigen::MatrixXf>, const Eigen::Ref<const Eigen::MatrixXf>&,
            const Eigen::Ref<const Eigen::MatrixXf>&, float) const {}
  double objective(const Eigen::Ref<const Eigen::MatrixXf>&,
                   const Eigen::Ref<const Eigen::MatrixXf>&,
                   const Eigen::Ref<const Eigen::MatrixXf>&) const {
    return 0;
  }
#ifdef SANE
  double decay() const { return 0; }
#endif
};
static_assert(check_submodel_update<Update>());
