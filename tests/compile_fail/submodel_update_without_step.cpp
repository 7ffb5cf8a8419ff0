// expect: a SubmodelUpdate needs step.W, X, Y, float step_size. const
#include "sane.hpp"

struct Update {
#ifdef SANE
  void step(Eigen::Ref<Eigen::MatrixXf>, const Eigen::Ref<const Eigen::MatrixXf>&,
            const Eigen::Ref<const Eigen::MatrixXf>&, float) const {}
#endif
  double objective(const Eigen::Ref<const Eigen::MatrixXf>&,
                   const Eigen::Ref<const Eigen::MatrixXf>&,
                   const Eigen::Ref<const Eigen::MatrixXf>&) const {
    return 0;
  }
  double decay() const { return 0; }
};
static_assert(check_submodel_update<Update>());
