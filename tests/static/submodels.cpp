// SPDX-License-Identifier: BSL-1.0
// Members are declared only: nothing here runs.
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/core/portable.hpp"
#include "parmac/core/submodels.hpp"

using namespace parmac;

namespace {

enum Piece { nothing, size, train, parameters, shard_size };

template <Piece Missing>
struct Shard {
  std::size_t size() const requires(Missing != shard_size);
};

template <Piece Missing>
struct Flat {
  using shard_type = Shard<Missing>;
  std::size_t size() const requires(Missing != ::size);
  void train(SubmodelRange, const shard_type&, const Visit&) requires(Missing != ::train);
  std::span<float> parameters(SubmodelRange) requires(Missing != ::parameters);
};
static_assert(Submodels<Flat<nothing>> && FlatSubmodels<Flat<nothing>>);
static_assert(!Submodels<Flat<size>>);
static_assert(!Submodels<Flat<train>>);
static_assert(!Submodels<Flat<parameters>> && !FlatSubmodels<Flat<parameters>>);
static_assert(!Submodels<Flat<shard_size>>);

template <Piece Missing>
struct Archived {
  using shard_type = Shard<nothing>;
  std::size_t size() const;
  void train(SubmodelRange, const shard_type&, const Visit&);
  template <class Archive>
  void serialize(Archive&, SubmodelRange) requires(Missing != parameters);
};
static_assert(Submodels<Archived<nothing>> && !FlatSubmodels<Archived<nothing>>);
static_assert(!Submodels<Archived<parameters>>);

struct Shardless {
  std::size_t size() const;
  template <class Any>
  void train(SubmodelRange, const Any&, const Visit&);
  std::span<float> parameters(SubmodelRange);
};
static_assert(!Submodels<Shardless>);

// What may be returned for the parameters, and what not.
template <class Returned>
struct Giving : Flat<parameters> {
  Returned parameters(SubmodelRange);
};
static_assert(Submodels<Giving<std::span<float>>>);
static_assert(Submodels<Giving<std::span<double>>>);
static_assert(Submodels<Giving<std::span<unsigned char>>>);
static_assert(!Submodels<Giving<std::span<const float>>>, "it must be writable");
static_assert(!Submodels<Giving<std::span<float*>>>, "pointers mean nothing elsewhere");
static_assert(!Submodels<Giving<std::vector<float>>>, "a copy is no memory of the model's");
static_assert(!Submodels<Giving<std::vector<float>&>>);
static_assert(!Submodels<Giving<std::span<std::array<float, 2>>>>);
static_assert(!Submodels<Giving<void>>);

// Near misses in signatures.
struct SizeNotConst : Flat<size> {
  std::size_t size();
};
static_assert(!Submodels<SizeNotConst>);
struct TrainChangesShard : Flat<train> {
  void train(SubmodelRange, shard_type&, const Visit&);
};
static_assert(!Submodels<TrainChangesShard>);
struct TrainWithoutVisit : Flat<train> {
  void train(SubmodelRange, const shard_type&);
};
static_assert(!Submodels<TrainWithoutVisit>);
class PrivateTrain : public Flat<train> {
  void train(SubmodelRange, const shard_type&, const Visit&);
};
static_assert(!Submodels<PrivateTrain>);
struct SizeOfInt : Flat<size> {
  int size() const;
};
static_assert(Submodels<SizeOfInt>);

// The optional members: there, not there, or there with a signature that is never called.
#define PARMAC_OPTIONAL(Has, Names, right, wrong)                                                  \
  struct Has##Right : Flat<nothing> {                                                              \
    right;                                                                                         \
  };                                                                                               \
  struct Has##Wrong : Flat<nothing> {                                                              \
    wrong;                                                                                         \
  };                                                                                               \
  static_assert(parmac::detail::Has<Has##Right> && parmac::detail::Names<Has##Right>);             \
  static_assert(!parmac::detail::Has<Has##Wrong> && parmac::detail::Names<Has##Wrong>);            \
  static_assert(!parmac::detail::Has<Flat<nothing>> && !parmac::detail::Names<Flat<nothing>>);     \
  static_assert(Submodels<Has##Right> && check_submodels<Has##Right>())
PARMAC_OPTIONAL(HasFinish, NamesFinish, void finish(SubmodelRange), void finish());
PARMAC_OPTIONAL(HasKinds, NamesKinds, std::vector<SubmodelRange> kinds() const,
                std::vector<SubmodelRange> kinds());
PARMAC_OPTIONAL(HasCost, NamesCost, double cost(SubmodelRange) const, double cost() const);
PARMAC_OPTIONAL(HasStatistics, NamesStatistics, std::span<double> statistics(SubmodelRange),
                std::vector<double> statistics(SubmodelRange));
PARMAC_OPTIONAL(HasEpochs, NamesEpochs, int epochs(SubmodelRange, int) const,
                int epochs(SubmodelRange) const);
PARMAC_OPTIONAL(HasOutputLayer, NamesOutputLayer, SubmodelRange output_layer() const,
                std::size_t output_layer() const);
#undef PARMAC_OPTIONAL

// Coordinate steps, for a model that is in order and for one that is not.
using Model = Flat<nothing>;
struct Step {
  CoordinateReport update(const Model&, Model::shard_type&, double);
};
struct AnyModelStep {
  template <class M>
  CoordinateReport update(const M&, typename M::shard_type&, double) const;
};
struct StepWithoutUpdate {};
struct StepChangesModel {
  CoordinateReport update(Model&, Model::shard_type&, double);
};
struct StepWithoutMu {
  CoordinateReport update(const Model&, Model::shard_type&);
};
struct StepWithoutReport {
  void update(const Model&, Model::shard_type&, double);
};
struct StepReportsNumber {
  double update(const Model&, Model::shard_type&, double);
};
static_assert(CoordinateStep<Step, Model>);
static_assert(CoordinateStep<AnyModelStep, Model>);
static_assert(!CoordinateStep<AnyModelStep, Flat<size>>, "the model is no model");
static_assert(!CoordinateStep<Step, Archived<nothing>>, "a step of another model");
static_assert(!CoordinateStep<StepWithoutUpdate, Model>);
static_assert(!CoordinateStep<StepChangesModel, Model>);
static_assert(!CoordinateStep<StepWithoutMu, Model>);
static_assert(!CoordinateStep<StepWithoutReport, Model>);
static_assert(!CoordinateStep<StepReportsNumber, Model>);

struct ProjectingStep : Step {
  CoordinateReport project(const Model&, Model::shard_type&);
};
struct NearlyProjectingStep : Step {
  CoordinateReport project(const Model&, Model::shard_type&, double);
};
static_assert(parmac::detail::HasProject<ProjectingStep, Model>);
static_assert(!parmac::detail::HasProject<NearlyProjectingStep, Model>);
static_assert(parmac::detail::NamesProject<NearlyProjectingStep>);
static_assert(!parmac::detail::NamesProject<Step>);

// What can travel by itself.
struct Travels {
  template <class Archive>
  void serialize(Archive&, unsigned);
};
struct StaysAtHome {};
struct SerializesRanges {
  template <class Archive>
  void serialize(Archive&, SubmodelRange);
};
static_assert(Portable<Travels>);
static_assert(!Portable<StaysAtHome>);
static_assert(!Portable<SerializesRanges>);

} // namespace
