// SPDX-License-Identifier: BSL-1.0
// Members are declared only: nothing here runs.
#include <Eigen/Core>
#include <span>

#include "parmac/core/point_source.hpp"
#include "parmac/core/submodel_update.hpp"

using namespace parmac;

namespace {

using In = const Eigen::Ref<const Eigen::MatrixXf>&;
using InOut = Eigen::Ref<Eigen::MatrixXf>;

enum Piece { nothing, step, objective, decay, size, dimension, load, gather };

template <Piece Missing>
struct Update {
  void step(InOut, In, In, float) const requires(Missing != ::step);
  double objective(In, In, In) const requires(Missing != ::objective);
  double decay() const requires(Missing != ::decay);
};
static_assert(SubmodelUpdate<Update<nothing>>);
static_assert(!SubmodelUpdate<Update<step>>);
static_assert(!SubmodelUpdate<Update<objective>>);
static_assert(!SubmodelUpdate<Update<decay>>);

struct StepNotConst : Update<step> {
  void step(InOut, In, In, float);
};
struct StepOfDouble : Update<step> {
  void step(Eigen::Ref<Eigen::MatrixXd>, In, In, float) const;
};
struct StepWithoutSize : Update<step> {
  void step(InOut, In, In) const;
};
struct ObjectiveOfNothing : Update<objective> {
  void objective(In, In, In) const;
};
static_assert(!SubmodelUpdate<StepNotConst>);
static_assert(!SubmodelUpdate<StepOfDouble>);
static_assert(!SubmodelUpdate<StepWithoutSize>);
static_assert(!SubmodelUpdate<ObjectiveOfNothing>);

template <Piece Missing>
struct Source {
  Index size() const requires(Missing != ::size);
  Index dimension() const requires(Missing != ::dimension);
  void load(Index, InOut) const requires(Missing != ::load);
  void gather(std::span<const Index>, InOut) const requires(Missing != ::gather);
};
static_assert(PointSource<Source<nothing>>);
static_assert(!PointSource<Source<size>>);
static_assert(!PointSource<Source<dimension>>);
static_assert(!PointSource<Source<load>>);
static_assert(!PointSource<Source<gather>>);

struct LoadNotConst : Source<load> {
  void load(Index, InOut);
};
struct LoadOfCopies : Source<load> {
  Eigen::MatrixXf load(Index) const;
};
static_assert(!PointSource<LoadNotConst>);
static_assert(!PointSource<LoadOfCopies>);

} // namespace
