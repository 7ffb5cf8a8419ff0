// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/core/observer.hpp"
#include "parmac/core/penalty_schedule.hpp"
#include "parmac/core/point_source.hpp"
#include "parmac/core/portable.hpp"
#include "parmac/core/stopping_rule.hpp"
#include "parmac/core/submodel_update.hpp"
#include "parmac/core/submodels.hpp"
#include "parmac/core/topology.hpp"
#include "parmac/core/transport.hpp"

/// Archetypes: for each concept the least type that models it. Code that compiles with them asks
/// for nothing that the concept does not state. They run, too, and count what was asked of them.
/// None can be copied or made from nothing unless its concept says so.
namespace parmac::testing {

/// What is merely convertible to T, as far as a concept asks for no more.
template <class T>
class Just {
public:
  explicit Just(T value) : value_(std::move(value)) {}
  operator T() const { return value_; } // NOLINT(google-explicit-constructor): its whole purpose

private:
  T value_;
};

/// A base that keeps an archetype from being copied or moved.
struct Uncopied {
  Uncopied() = default;
  Uncopied(const Uncopied&) = delete;
  Uncopied& operator=(const Uncopied&) = delete;
};

/// The least shard: a number of points.
class LeastShard : Uncopied {
public:
  explicit LeastShard(std::size_t points) : points_(points) {}
  [[nodiscard]] Just<std::size_t> size() const { return Just(points_); }

private:
  std::size_t points_;
};

/// The least flat Submodels: one number each, the points that the submodel has learnt from.
class LeastSubmodels : Uncopied {
public:
  using shard_type = LeastShard;
  explicit LeastSubmodels(std::size_t submodels) : learnt_(submodels, 0.0) {}

  [[nodiscard]] Just<std::size_t> size() const { return Just(learnt_.size()); }
  std::span<double> parameters(SubmodelRange range) {
    return std::span(learnt_).subspan(range.first, range.size());
  }
  void train(SubmodelRange range, const LeastShard& shard, const Visit&) {
    for (double& n : parameters(range)) n += static_cast<double>(std::size_t{shard.size()});
  }

private:
  std::vector<double> learnt_;
};
static_assert(parmac::check_submodels<LeastSubmodels>() && FlatSubmodels<LeastSubmodels>);

/// The least Submodels that travel in archives.
class LeastArchivedSubmodels : Uncopied {
public:
  using shard_type = LeastShard;
  explicit LeastArchivedSubmodels(std::size_t submodels) : learnt_(submodels, 0.0) {}

  [[nodiscard]] Just<std::size_t> size() const { return Just(learnt_.size()); }
  template <class Archive>
  void serialize(Archive& archive, SubmodelRange range) {
    for (std::size_t i = range.first; i < range.last; ++i) archive& learnt_[i];
  }
  void train(SubmodelRange range, const LeastShard& shard, const Visit&) {
    for (std::size_t i = range.first; i < range.last; ++i)
      learnt_[i] += static_cast<double>(std::size_t{shard.size()});
  }

private:
  std::vector<double> learnt_;
};
static_assert(parmac::check_submodels<LeastArchivedSubmodels>() &&
              !FlatSubmodels<LeastArchivedSubmodels>);

/// The least CoordinateStep for a model: finds nothing to improve, at a cost of 1 a point.
template <class Model>
class LeastCoordinateStep : Uncopied {
public:
  explicit LeastCoordinateStep(int) {}
  Just<CoordinateReport> update(const Model&, typename Model::shard_type& shard, double) {
    const auto points = static_cast<double>(std::size_t{shard.size()});
    return Just(CoordinateReport{.before = points,
                                 .objective = points,
                                 .nested = points,
                                 .violation = points,
                                 .changed = 0});
  }
};
static_assert(parmac::check_coordinate_step<LeastCoordinateStep<LeastSubmodels>, LeastSubmodels>());

/// The least Transport, of one machine: loses nothing, since nobody sends.
class LeastTransport {
public:
  explicit LeastTransport(int) {}
  LeastTransport(LeastTransport&&) = default; // a Ring takes it by value
  LeastTransport& operator=(LeastTransport&&) = delete;

  [[nodiscard]] Just<int> rank() const { return Just(0); }
  [[nodiscard]] Just<int> size() const { return Just(1); }
  void send(int, const Envelope&, std::span<const std::byte>, std::shared_ptr<const void>) {}
  Just<bool> settled(std::span<const std::byte>) { return Just(true); }
  template <class Place>
  std::optional<Arrival> poll(Place&&) {
    return std::nullopt;
  }
};
static_assert(parmac::check_transport<LeastTransport>());

/// The least Topology, of one machine.
class LeastTopology : Uncopied {
public:
  explicit LeastTopology(int) {}
  [[nodiscard]] Just<int> rank() const { return Just(0); }
  [[nodiscard]] Just<int> size() const { return Just(1); }
  void send(int, const Envelope&, std::span<const std::byte>, std::shared_ptr<const void>) {}
  Just<bool> settled(std::span<const std::byte>) { return Just(true); }
  template <class Place>
  std::optional<Arrival> receive(MessageKind, std::uint32_t, Place&&) {
    return std::nullopt;
  }
  Just<std::uint32_t> next_step() { return Just(++step_); }
  void all_sum(std::span<double>) {}
  Just<std::vector<std::string>> all_gather(const std::string& words) {
    return Just(std::vector<std::string>{words});
  }
  void fail(const std::string&) {}
  void abandon() {}
  [[nodiscard]] const Patience& patience() const { return patience_; }

private:
  std::uint32_t step_ = 0;
  Patience patience_;
};
static_assert(parmac::check_topology<LeastTopology>());

/// The least PenaltySchedule: mu = 1.
class LeastPenalty {
public:
  explicit LeastPenalty(int) {}
  Just<double> operator()(int) const { return Just(1.0); }
};
static_assert(parmac::check_penalty_schedule<LeastPenalty>());

/// The least StoppingRule: stops after some iterations.
class LeastStoppingRule {
public:
  explicit LeastStoppingRule(int iterations) : left_(iterations) {}
  Just<std::optional<std::string>> operator()(const IterationReport&) {
    using Reason = std::optional<std::string>;
    return Just(--left_ > 0 ? Reason{} : Reason{"enough"});
  }

private:
  int left_;
};
static_assert(parmac::check_stopping_rule<LeastStoppingRule>());

/// The least Observers, one for each hook; each counts its calls.
struct LeastStartObserver : Uncopied {
  explicit LeastStartObserver(int) {}
  void on_start(const RunInfo&) { ++calls; }
  int calls = 0;
};
struct LeastIterationObserver : Uncopied {
  explicit LeastIterationObserver(int) {}
  void on_iteration(const IterationReport&) { ++calls; }
  int calls = 0;
};
struct LeastFinishObserver : Uncopied {
  explicit LeastFinishObserver(int) {}
  void on_finish(const Report&) { ++calls; }
  int calls = 0;
};
static_assert(parmac::check_observer<LeastStartObserver>() &&
              parmac::check_observer<LeastIterationObserver>() &&
              parmac::check_observer<LeastFinishObserver>());

/// The least SubmodelUpdate: takes part of the way to the mean target; nothing else counts.
class LeastSubmodelUpdate : Uncopied {
public:
  explicit LeastSubmodelUpdate(int) {}
  void step(Eigen::Ref<Eigen::MatrixXf> W, const Eigen::Ref<const Eigen::MatrixXf>&,
            const Eigen::Ref<const Eigen::MatrixXf>& Y, float step_size) const {
    if (Y.rows() > 0) W.bottomRows(1) += step_size * (Y.colwise().mean() - W.bottomRows(1));
  }
  [[nodiscard]] Just<double> objective(const Eigen::Ref<const Eigen::MatrixXf>& W,
                                       const Eigen::Ref<const Eigen::MatrixXf>&,
                                       const Eigen::Ref<const Eigen::MatrixXf>& Y) const {
    if (Y.rows() == 0) return Just(0.0);
    return Just(static_cast<double>((Y.colwise().mean() - W.bottomRows(1)).squaredNorm()));
  }
  [[nodiscard]] Just<double> decay() const { return Just(0.0); }
};
static_assert(parmac::check_submodel_update<LeastSubmodelUpdate>());

/// The least PointSource: feature d of point n is n + d.
class LeastPointSource : Uncopied {
public:
  LeastPointSource(Index N, Index D) : N_(N), D_(D) {}
  [[nodiscard]] Just<Index> size() const { return Just(N_); }
  [[nodiscard]] Just<Index> dimension() const { return Just(D_); }
  void load(Index first, Eigen::Ref<Eigen::MatrixXf> out) const {
    for (Index j = 0; j < out.cols(); ++j) fill(first + j, out, j);
  }
  void gather(std::span<const Index> which, Eigen::Ref<Eigen::MatrixXf> out) const {
    for (Index j = 0; j < out.cols(); ++j) fill(which[static_cast<std::size_t>(j)], out, j);
  }

private:
  void fill(Index n, Eigen::Ref<Eigen::MatrixXf>& out, Index j) const {
    for (Index d = 0; d < D_; ++d) out(d, j) = static_cast<float>(n + d);
  }
  Index N_;
  Index D_;
};
static_assert(PointSource<LeastPointSource>);

/// The least Portable.
class LeastPortable : Uncopied {
public:
  explicit LeastPortable(int value) : value_(value) {}
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& value_;
  }
  [[nodiscard]] int value() const { return value_; }

private:
  int value_;
};
static_assert(Portable<LeastPortable>);

} // namespace parmac::testing
