// expect: a SubmodelUpdate needs objective.W, X, Y. const
#include "sane.hpp"

struct Update {
  void step(Eigen::Ref<Eigen::MatrixXf>, const Eigen::Ref<const Eigen::MatrixXf>&,
            const Eigen::Ref<const Eigen::MatrixXf>&, float) const {}
#ifdef SANE
  double objective(const Eigen::Ref<const Eigen::MatrixXf>&,
                   const Eigen::Ref<const Eigen::MatrixXf>&,
                   const Eigen::Ref<const Eigen::MatrixXf>&) const {
    return 0;
  }
#endif
  double decay() const { return 0; }
};
static_assert(check_submodel_update<Update>());
