// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <vector>

#include "memory_archive.hpp"
#include "parmac/ring/ring.hpp"
#include "parmac/solvers/sgd.hpp"
#include "parmac/testing/archetypes.hpp"
#include "parmac/train/trainer.hpp"

using namespace parmac;
using namespace parmac::testing;

namespace {

// The optional pieces of Submodels and CoordinateStep, each returning no more than it must.
class AllPieces : public LeastSubmodels {
public:
  using LeastSubmodels::LeastSubmodels;
  void finish(SubmodelRange) { ++finished; }
  Just<std::vector<SubmodelRange>> kinds() const {
    const std::size_t M = size();
    return Just(std::vector<SubmodelRange>{{0, 1}, {1, M}});
  }
  Just<double> cost(SubmodelRange range) const { return Just(static_cast<double>(range.size())); }
  std::span<double> statistics(SubmodelRange range) { return parameters(range); }
  Just<int> epochs(SubmodelRange, int asked) const { return Just(asked); }
  Just<SubmodelRange> output_layer() const { return Just(SubmodelRange{0, 1}); }
  int finished = 0;
};

class ProjectingStep : public LeastCoordinateStep<AllPieces> {
public:
  using LeastCoordinateStep::LeastCoordinateStep;
  Just<CoordinateReport> project(const AllPieces&, LeastShard&) {
    return Just(CoordinateReport{.nested = 7});
  }
};

template <class Model>
Report fit(Model& model, LeastShard& shard, FitSettings settings) {
  LeastCoordinateStep<Model> step(0);
  LeastTopology machines(1);
  return Trainer{model, step, machines}.fit(shard, std::move(settings));
}

} // namespace

TEST_CASE("The trainer asks for no more than the concepts state") {
  LeastSubmodels model(3);
  LeastCoordinateStep<LeastSubmodels> step(0);
  LeastTopology machines(1);
  LeastShard shard(5);
  LeastStartObserver start(0);
  LeastIterationObserver iteration(0);
  LeastFinishObserver finish(0);

  const Report report = Trainer{model, step, machines}.fit(
      shard, {.penalty = LeastPenalty(0), .stop = LeastStoppingRule(4), .epochs = 2}, start,
      iteration, finish);

  CHECK(report.stop_reason == "enough");
  CHECK(report.iterations.size() == 4);
  CHECK(start.calls == 1);
  CHECK(iteration.calls == 4);
  CHECK(finish.calls == 1);
  // Every point taught every submodel e times an iteration.
  for (const double learnt : model.parameters({0, 3})) CHECK(learnt == 4 * 2 * 5);
}

TEST_CASE("The trainer asks for no more of submodels that travel in archives") {
  LeastArchivedSubmodels model(3);
  LeastShard shard(5);
  CHECK(fit(model, shard, {.max_iterations = 2}).iterations.size() == 2);
}

TEST_CASE("The trainer asks for no more of the optional members") {
  AllPieces model(3);
  ProjectingStep step(0);
  LeastTopology machines(1);
  LeastShard shard(5);

  const Report report = Trainer{model, step, machines}.fit(shard, {.max_iterations = 1});

  CHECK(report.final_nested == 7);
  CHECK(model.finished == 2 + 2 + 1); // the iteration, the last Z, the output layer
  CHECK(model.parameters({0, 1})[0] == 3 * 5);
  CHECK(model.parameters({1, 2})[0] == 2 * 5);
}

TEST_CASE("A ring asks for no more of its transport") {
  Ring<LeastTransport> ring(LeastTransport(0));
  std::vector<double> values{1, 2};
  ring.all_sum(values);
  CHECK(values == std::vector<double>{1, 2});
  CHECK(ring.all_gather("word") == std::vector<std::string>{"word"});
}

TEST_CASE("A training pass asks for no more of an update than its concept states") {
  const LeastSubmodelUpdate update(0);
  Eigen::MatrixXf W = Eigen::MatrixXf::Zero(2, 1);
  RandomStream stream(1);
  const StepSchedule after =
      train_pass(update, W, StepSchedule{.eta0 = 1}, 8, MinibatchSettings{}, stream,
                 [](std::span<const Index>, Eigen::MatrixXf& X, Eigen::MatrixXf& Y) {
                   X.setZero();
                   Y.setConstant(3);
                 });
  CHECK(after.updates >= 1);
  CHECK(W(1, 0) == Approx(3));
  CHECK(double{update.objective(W, Eigen::MatrixXf::Zero(1, 1),
                                Eigen::MatrixXf::Constant(1, 1, 3.0F))} == Approx(0).margin(1e-9));
}

TEST_CASE("The least point source gives the points that it names") {
  const LeastPointSource points(10, 2);
  Eigen::MatrixXf block(2, 3);
  points.load(4, block);
  CHECK(block(0, 0) == 4);
  CHECK(block(1, 2) == 7);
  const std::vector<Index> which{9, 0};
  Eigen::MatrixXf picked(2, 2);
  points.gather(which, picked);
  CHECK(picked(0, 0) == 9);
  CHECK(picked(1, 1) == 1);
}
