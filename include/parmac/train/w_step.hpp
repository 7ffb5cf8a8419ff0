// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parmac/core/report.hpp"
#include "parmac/core/submodels.hpp"
#include "parmac/core/topology.hpp"
#include "parmac/core/visit.hpp"
#include "parmac/ring/baton.hpp"
#include "parmac/ring/visit_plan.hpp"
#include "parmac/ring/waiter.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/clock.hpp"
#include "parmac/train/payload.hpp"

namespace parmac {

/// What a W step needs to know beside the model and the ring.
struct WStepSettings {
  VisitSettings visits = {};
  std::uint64_t seed = 1;
  int iteration = 0;
  std::uint64_t total_points = 0; ///< N, on all machines together.
};

/// The W step, as one machine of a ring: takes any baton, trains it on this machine's shard, passes
/// it on, and returns when this machine holds the final copy of every baton. Asynchronous:
/// receiving, training and sending overlap, no send blocks, no two machines wait for each other in
/// a circle. Flat submodels are received into the model's own memory and sent from it. All machines
/// must call it with equal batons and settings.
template <Submodels Model, Topology Machines>
class WStep {
public:
  using Shard = typename Model::shard_type;

  WStep(Model& model, const Shard& shard, Machines& machines, std::span<const Baton> batons,
        const WStepSettings& settings)
      : model_(model),
        shard_(shard),
        machines_(machines),
        batons_(batons),
        settings_(settings),
        step_(machines.next_step()) {
    for (std::size_t id = 0; id < batons.size(); ++id) {
      plans_.push_back(plan_index(batons[id].range));
      if (batons[id].origin == machines.rank()) queue_.push_back({id, 0, 0});
    }
    missing_.assign(batons.size(), true);
  }

  /// @returns this machine's part: seconds, bytes, messages, passes.
  /// @throws RemoteError, StallError, TransportError; NumericalError when a submodel is not finite
  /// after training; what the model throws.
  MachineReport run() {
    Stopwatch clock;
    Waiter waiter(machines_.patience(), machines_.rank());
    std::size_t left = batons_.size();
    while (left > 0) {
      take_arrivals();
      if (queue_.empty()) {
        const Stopwatch wait;
        waiter.rest([&] { return waited_for(); });
        report_.wait_seconds += wait.seconds();
        continue;
      }
      waiter.reset();
      const Stop stop = queue_.front();
      queue_.pop_front();
      if (process(stop)) --left;
    }
    // What is still on its way is read from the model's memory.
    waiter.reset();
    while (!machines_.settled({})) {
      take_arrivals(); // none of this step, but perhaps the news that the receiver has failed
      waiter.rest([&] { return text("rank ", next_rank(), " to take the last submodels"); });
    }
    report_.w_seconds = clock.seconds();
    return report_;
  }

private:
  struct Stop {
    std::size_t baton;
    std::uint32_t position;
    std::uint64_t points;
  };

  // Batons that want the same number of epochs share a plan.
  std::size_t plan_index(SubmodelRange range) {
    VisitSettings visits = settings_.visits;
    if constexpr (detail::HasEpochs<Model>) {
      visits.epochs = model_.epochs(range, settings_.visits.epochs);
      require(visits.epochs >= 1, "epochs() of submodels ", range.first, " to ", range.last - 1,
              " is ", visits.epochs, "; it must be at least 1");
    }
    const auto [place, fresh] = plan_of_epochs_.try_emplace(visits.epochs, distinct_plans_.size());
    if (fresh)
      distinct_plans_.emplace_back(machines_.size(), visits, settings_.seed, settings_.iteration);
    return place->second;
  }

  const VisitPlan& plan(std::size_t baton) const { return distinct_plans_[plans_[baton]]; }
  int next_rank() const { return (machines_.rank() + 1) % machines_.size(); }

  // Trains where the plan says so and sends the baton on. True when this is the final copy.
  bool process(const Stop& stop) {
    const VisitPlan& way = plan(stop.baton);
    const SubmodelRange range = batons_[stop.baton].range;
    std::uint64_t points = stop.points;
    if (way.trains(stop.position)) {
      for (int pass = 0; pass < way.passes_a_stop(); ++pass) points += train(stop, pass, points);
      if (way.completes(stop.position)) {
        if constexpr (detail::HasFinish<Model>) model_.finish(range);
      }
      refuse_not_finite(range, way.completes(stop.position));
    }
    const bool final_copy = way.completes(stop.position) || !way.trains(stop.position);
    if (final_copy) missing_[stop.baton] = false;
    if (stop.position < way.last_position()) {
      const int to = way.next(machines_.rank(), stop.position);
      if (to == machines_.rank())
        queue_.push_back({stop.baton, stop.position + 1, points});
      else
        send(to, stop.baton, stop.position + 1, points);
    }
    return final_copy;
  }

  std::uint64_t train(const Stop& stop, int pass, std::uint64_t points) {
    const VisitPlan& way = plan(stop.baton);
    const SubmodelRange range = batons_[stop.baton].range;
    const auto passes = static_cast<std::uint64_t>(way.passes_a_stop());
    model_.train(range, shard_,
                 Visit{.seed = settings_.seed,
                       .iteration = settings_.iteration,
                       .epoch = way.lap(stop.position) + pass,
                       .rank = machines_.rank(),
                       .visits_before = stop.position * passes + static_cast<std::uint64_t>(pass),
                       .points_seen = points,
                       .points_before = points_in_earlier_steps(way),
                       .let_messages_move = [this] { take_arrivals(); }});
    report_.passes += range.size();
    return static_cast<std::uint64_t>(shard_.size());
  }

  std::uint64_t points_in_earlier_steps(const VisitPlan& way) const {
    return static_cast<std::uint64_t>(settings_.iteration) * settings_.total_points *
           static_cast<std::uint64_t>(way.epochs());
  }

  void refuse_not_finite(SubmodelRange range, bool complete) const {
    if constexpr (FlatSubmodels<Model>) {
      auto numbers_at = detail::first_not_finite(model_.parameters(range));
      if constexpr (detail::HasStatistics<Model>)
        if (!complete && !model_.statistics(range).empty())
          numbers_at = detail::first_not_finite(model_.statistics(range));
      require<NumericalError>(
          numbers_at < 0, "submodels ", range.first, " to ", range.last - 1,
          " are not finite after training on rank ", machines_.rank(), " in iteration ",
          settings_.iteration, ": number ", numbers_at,
          " of the range; is the step size too large, or are there NaNs in the data?");
    }
  }

  void send(int to, std::size_t baton, std::uint32_t position, std::uint64_t points) {
    Envelope envelope{.points = points,
                      .kind = MessageKind::baton,
                      .step = step_,
                      .baton = narrow<std::uint32_t>(baton),
                      .position = position};
    const SubmodelRange range = batons_[baton].range;
    if constexpr (FlatSubmodels<Model>) {
      const auto memory =
          detail::Payload<Model>::memory(model_, range, plan(baton).trains(position));
      envelope.bytes = memory.size();
      machines_.send(to, envelope, memory, nullptr);
    } else {
      const auto archive = detail::Payload<Model>::save(model_, range);
      envelope.bytes = archive->size();
      machines_.send(to, envelope, std::as_bytes(std::span(*archive)), archive);
    }
    report_.bytes_sent += envelope.bytes;
    ++report_.messages_sent;
  }

  // Receives whatever is there, without waiting.
  void take_arrivals() {
    const auto place = [this](int from, const Envelope& envelope) { return room(from, envelope); };
    while (const auto arrival = machines_.receive(MessageKind::baton, step_, place)) {
      const Envelope& envelope = arrival->envelope;
      if constexpr (!FlatSubmodels<Model>) {
        detail::Payload<Model>::load(model_, batons_[envelope.baton].range,
                                     std::move(archives_[envelope.baton]));
        archives_.erase(envelope.baton);
      }
      queue_.push_back({envelope.baton, envelope.position, envelope.points});
    }
  }

  // Where a baton that is coming in belongs.
  std::span<std::byte> room(int from, const Envelope& envelope) {
    require<TransportError>(envelope.baton < batons_.size(), "rank ", from, " sent baton ",
                            envelope.baton, " of ", batons_.size());
    if constexpr (FlatSubmodels<Model>) {
      const SubmodelRange range = batons_[envelope.baton].range;
      const auto memory = detail::Payload<Model>::memory(
          model_, range, plan(envelope.baton).trains(envelope.position));
      require<TransportError>(memory.size() == envelope.bytes, "rank ", from, " sent ",
                              envelope.bytes, " bytes for submodels ", range.first, " to ",
                              range.last - 1, ", which have ", memory.size(), " bytes on rank ",
                              machines_.rank());
      // It has been here before and was sent from here; its return shows that it has left, and
      // this lets the transport notice.
      Waiter waiter(machines_.patience(), machines_.rank());
      while (!machines_.settled(memory))
        waiter.rest(
            [&] { return text("baton ", envelope.baton, " to leave before it comes back"); });
      return memory;
    } else {
      std::string& archive = archives_[envelope.baton];
      archive.resize(narrow<std::size_t>(envelope.bytes));
      return std::as_writable_bytes(std::span(archive));
    }
  }

  std::string waited_for() const {
    std::string words;
    std::size_t count = 0;
    for (std::size_t id = 0; id < batons_.size(); ++id)
      if (missing_[id] && ++count <= 3)
        words += text(count > 1 ? ", " : "", batons_[id].range.first, " to ",
                      batons_[id].range.last - 1);
    return text(
        "submodels ", words, count > 3 ? text(" and ", count - 3, " more ranges") : "",
        " (W step of iteration ", settings_.iteration, "), ",
        settings_.visits.shuffle_ring
            ? std::string("from any rank")
            : text("from rank ", (machines_.rank() + machines_.size() - 1) % machines_.size()));
  }

  Model& model_;
  const Shard& shard_;
  Machines& machines_;
  std::span<const Baton> batons_;
  WStepSettings settings_;
  std::uint32_t step_;
  std::map<int, std::size_t> plan_of_epochs_;
  std::vector<VisitPlan> distinct_plans_;
  std::vector<std::size_t> plans_; // of each baton
  std::deque<Stop> queue_;
  std::vector<bool> missing_;                     // batons whose final copy is not here
  std::map<std::uint32_t, std::string> archives_; // on their way in
  MachineReport report_;
};

} // namespace parmac
