// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/core/observer.hpp"
#include "parmac/core/report.hpp"
#include "parmac/core/submodels.hpp"
#include "parmac/core/topology.hpp"
#include "parmac/ring/baton.hpp"
#include "parmac/support/clock.hpp"
#include "parmac/train/agreement.hpp"
#include "parmac/train/settings.hpp"
#include "parmac/train/w_step.hpp"

namespace parmac {

/// Trains a nested model by the method of auxiliary coordinates over a ring of machines: W step
/// (the submodels travel and learn), Z step (every machine improves its own points' coordinates), a
/// larger penalty, and again until the stopping rule is content (ParMAC, section on the algorithm).
///
/// The program is the same on every machine: each makes a model, a shard, and a Trainer, and calls
/// `fit`. The trainer keeps references to the model and the coordinate step; a topology is referred
/// to where it has a name, and kept where it is a temporary.
template <class Model, class CoordStep, class Machines>
class Trainer {
  using Ring = std::remove_reference_t<Machines>;
  static_assert(check_submodels<Model>());
  static_assert(check_coordinate_step<CoordStep, Model>());
  static_assert(check_topology<Ring>());

public:
  using Shard = typename Model::shard_type;

  Trainer(Model& model, CoordStep& coordinates, Machines&& machines)
      : model_(model), coordinates_(coordinates), machines_(std::forward<Machines>(machines)) {}

  /// Trains. Afterwards every machine's model is the same, bit for bit.
  /// @param shard this machine's points and coordinates; may be empty, but not on all machines.
  /// @param observers lvalues are referred to; each is told of every iteration, on every machine.
  /// @throws ConfigError for settings that are out of range or differ between machines;
  /// RemoteError when another machine failed; and what the model, the coordinate step, an observer
  /// throws. After an exception on one machine, `fit` throws on all.
  template <class... Observers>
  Report fit(Shard& shard, FitSettings settings = {}, Observers&&... observers) {
    static_assert((check_observer<std::remove_reference_t<Observers>>() && ...));
    try {
      return run(shard, settings, observers...);
    } catch (const RemoteError&) {
      machines_.abandon();
      throw;
    } catch (const std::exception& failure) {
      machines_.fail(failure.what());
      throw;
    }
  }

private:
  template <class... Observers>
  Report run(Shard& shard, FitSettings& settings, Observers&... observers) {
    const Stopwatch clock;
    settings.validate();
    Report report;
    const std::vector<Baton> batons = cut(settings, kinds());
    report.info = introduce(shard, settings, batons);
    total_points_ = report.info.total_points();
    (tell_start(observers, report.info), ...);

    double last_mu = 0;
    bool fixed_point = false;
    while (report.stop_reason.empty()) {
      const int i = static_cast<int>(report.iterations.size());
      const double mu = settings.penalty(i);
      require(mu > 0 && std::isfinite(mu) && mu >= last_mu, "the penalty schedule gives ", mu,
              " in iteration ", i, " after ", last_mu,
              "; penalties are positive, finite, and never fall");
      last_mu = mu;

      MachineReport mine = w_step(shard, settings, batons, i);
      const Stopwatch z_clock;
      const CoordinateReport z = coordinates_.update(std::as_const(model_), shard, mu);
      mine.z_seconds = z_clock.seconds();

      report.iterations.push_back(summed_up(i, mu, z, mine, shard, clock));
      const IterationReport& iteration = report.iterations.back();
      (tell_iteration(observers, iteration), ...);
      fixed_point = iteration.violation == 0;
      if (auto reason = asked_together(settings, iteration))
        report.stop_reason = *reason;
      else if (i + 1 == settings.max_iterations)
        report.stop_reason = text("max_iterations = ", settings.max_iterations, " is reached");
    }
    report.final_nested =
        final_fit(shard, settings, batons, fixed_point, static_cast<int>(report.iterations.size()));
    report.seconds = clock.seconds();
    (tell_finish(observers, std::as_const(report)), ...);
    return report;
  }

  // Every machine asks its own copy of the rule; a rule that does not say the same on all would
  // leave some of them waiting for the others.
  std::optional<std::string> asked_together(FitSettings& settings,
                                            const IterationReport& iteration) {
    std::optional<std::string> reason = settings.stop(iteration);
    std::vector<double> stops(static_cast<std::size_t>(machines_.size()), 0.0);
    stops[static_cast<std::size_t>(machines_.rank())] = reason ? 1.0 : 0.0;
    machines_.all_sum(stops);
    for (std::size_t rank = 1; rank < stops.size(); ++rank)
      require(stops[rank] == stops[0], "the ranks do not agree: after iteration ",
              iteration.iteration, " the stopping rule of rank 0 says ",
              stops[0] > 0 ? "stop" : "go on", ", that of rank ", rank,
              " the opposite; a rule may look at the reports alone");
    return reason;
  }

  // MAC's post-processing: the coordinates become what the model says, and the output layer learns
  // from those; where the constraints do not hold yet, all layers first learn from the last Z.
  double final_fit(Shard& shard, const FitSettings& settings, const std::vector<Baton>& batons,
                   bool fixed_point, int iteration) {
    if constexpr (detail::HasProject<CoordStep, Model>) {
      if (settings.final_fit) {
        if (!fixed_point) w_step(shard, settings, batons, iteration++);
        double nested = projected(shard);
        if constexpr (detail::HasOutputLayer<Model>) {
          std::vector<Baton> last;
          for (const Baton& baton : batons)
            if (const SubmodelRange layer = model_.output_layer();
                baton.range.first >= layer.first && baton.range.last <= layer.last)
              last.push_back(baton);
          w_step(shard, settings, last, iteration);
          nested = projected(shard);
        }
        machines_.all_sum(std::span(&nested, 1));
        return nested;
      }
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  double projected(Shard& shard) {
    const CoordinateReport z = coordinates_.project(std::as_const(model_), shard);
    return z.nested;
  }

  MachineReport w_step(const Shard& shard, const FitSettings& settings,
                       const std::vector<Baton>& batons, int iteration) {
    const WStepSettings step{.visits = {.epochs = settings.epochs,
                                        .local_epochs = settings.local_epochs,
                                        .shuffle_ring = settings.shuffle_ring},
                             .seed = settings.seed,
                             .iteration = iteration,
                             .total_points = total_points_};
    return WStep<Model, Ring>(model_, shard, machines_, batons, step).run();
  }

  std::vector<SubmodelRange> kinds() const {
    if constexpr (detail::HasKinds<Model>)
      return model_.kinds();
    else
      return {{0, static_cast<std::size_t>(model_.size())}};
  }

  std::vector<Baton> cut(const FitSettings& settings,
                         const std::vector<SubmodelRange>& kinds) const {
    std::function<double(SubmodelRange)> cost;
    if constexpr (detail::HasCost<Model>)
      cost = [this](SubmodelRange range) { return model_.cost(range); };
    return cut_batons(kinds, static_cast<std::size_t>(model_.size()), machines_.size(),
                      settings.batons_per_machine, cost);
  }

  // The machines tell each other what they bring, and refuse to begin when it does not fit.
  RunInfo introduce(const Shard& shard, const FitSettings& settings,
                    const std::vector<Baton>& batons) {
    std::string model = text("submodels=", model_.size());
    for (const Baton& baton : batons) {
      model += text(" ", baton.range.first, "-", baton.range.last);
      if constexpr (FlatSubmodels<Model>) model += text(":", model_.parameters(baton.range).size());
    }
    require_agreement(machines_, settings.fingerprint() + " " + model);
    RunInfo info{.rank = machines_.rank(),
                 .machines = machines_.size(),
                 .submodels = static_cast<std::uint64_t>(model_.size()),
                 .batons = batons.size(),
                 .epochs = settings.epochs};
    require(info.submodels > 0, "the model has no submodels; it needs at least one");
    info.idle_machines = info.batons < static_cast<std::uint64_t>(info.machines)
                             ? static_cast<std::uint64_t>(info.machines) - info.batons
                             : 0;
    std::vector<double> points(static_cast<std::size_t>(info.machines), 0.0);
    points[static_cast<std::size_t>(info.rank)] = static_cast<double>(shard.size());
    machines_.all_sum(points);
    for (const double n : points) info.points.push_back(static_cast<std::uint64_t>(n));
    require<DataError>(info.total_points() > 0, "there are no points on any of ", info.machines,
                       " machines; training needs at least one");
    return info;
  }

  IterationReport summed_up(int i, double mu, const CoordinateReport& z, const MachineReport& mine,
                            const Shard& shard, const Stopwatch& clock) {
    const auto machines = static_cast<std::size_t>(machines_.size());
    const auto self = static_cast<std::size_t>(machines_.rank());
    std::vector<double> sums{z.before,
                             z.objective,
                             z.nested,
                             z.violation,
                             z.changed,
                             static_cast<double>(shard.size()),
                             self == 0 ? clock.seconds() : 0.0};
    const std::size_t totals = sums.size();
    constexpr std::size_t fields = 7;
    sums.resize(totals + fields * machines, 0.0);
    const double own[fields] = {mine.w_seconds,
                                mine.z_seconds,
                                mine.wait_seconds,
                                static_cast<double>(mine.bytes_sent),
                                static_cast<double>(mine.messages_sent),
                                static_cast<double>(mine.passes),
                                mu};
    std::copy_n(own, fields, sums.begin() + static_cast<std::ptrdiff_t>(totals + fields * self));
    machines_.all_sum(sums);

    IterationReport report{.rank = machines_.rank(),
                           .iteration = i,
                           .mu = mu,
                           .before = sums[0],
                           .objective = sums[1],
                           .nested = sums[2],
                           .violation = sums[3],
                           .changed = sums[4],
                           .points = sums[5],
                           .seconds = sums[6],
                           .machines = {}};
    require<NumericalError>(std::isfinite(report.objective), "the objective is ", report.objective,
                            " after iteration ", i, "; it must be finite");
    for (std::size_t m = 0; m < machines; ++m) {
      const double* field = &sums[totals + fields * m];
      require(field[6] == sums[totals + 6], "the ranks do not agree: rank 0 has the penalty ",
              sums[totals + 6], " in iteration ", i, ", rank ", m, " has ", field[6]);
      report.machines.push_back({.w_seconds = field[0],
                                 .z_seconds = field[1],
                                 .wait_seconds = field[2],
                                 .bytes_sent = static_cast<std::uint64_t>(field[3]),
                                 .messages_sent = static_cast<std::uint64_t>(field[4]),
                                 .passes = static_cast<std::uint64_t>(field[5])});
    }
    return report;
  }

  template <class O>
  static void tell_start(O& observer, const RunInfo& info) {
    if constexpr (detail::HasOnStart<O>) observer.on_start(info);
  }
  template <class O>
  static void tell_iteration(O& observer, const IterationReport& iteration) {
    if constexpr (detail::HasOnIteration<O>) observer.on_iteration(iteration);
  }
  template <class O>
  static void tell_finish(O& observer, const Report& report) {
    if constexpr (detail::HasOnFinish<O>) observer.on_finish(report);
  }

  Model& model_;
  CoordStep& coordinates_;
  Machines machines_;
  std::uint64_t total_points_ = 0; // N, on all machines, of the present run
};

template <class Model, class CoordStep, class Machines>
Trainer(Model&, CoordStep&, Machines&&) -> Trainer<Model, CoordStep, Machines>;

} // namespace parmac
