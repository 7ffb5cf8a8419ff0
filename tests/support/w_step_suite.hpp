// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "expect.hpp"
#include "parmac/ring/baton.hpp"
#include "parmac/ring/visit_plan.hpp"
#include "parmac/train/w_step.hpp"
#include "recording_model.hpp"

namespace parmac::tests {

/// The machines that a baton meets in training, in order, lap after lap. With a fixed ring this is
/// counting modulo P, without any plan.
inline std::vector<int> route(int origin, int machines, const WStepSettings& settings) {
  const int laps = settings.visits.local_epochs ? 1 : settings.visits.epochs;
  std::vector<int> stops;
  const VisitPlan plan(machines, settings.visits, settings.seed, settings.iteration);
  for (int at = origin; static_cast<int>(stops.size()) < laps * machines;) {
    stops.push_back(at);
    at = settings.visits.shuffle_ring ? plan.next(at, static_cast<std::uint32_t>(stops.size() - 1))
                                      : (at + 1) % machines;
  }
  return stops;
}

/// The log that a submodel must bring home.
inline std::vector<LoggedVisit> expected_log(int origin, std::span<const std::size_t> points,
                                             const WStepSettings& settings) {
  const int machines = static_cast<int>(points.size());
  const std::vector<int> stops = route(origin, machines, settings);
  const int passes = settings.visits.local_epochs ? settings.visits.epochs : 1;
  std::vector<LoggedVisit> log;
  double seen = 0;
  const auto total = static_cast<double>(settings.total_points);
  for (std::size_t stop = 0; stop < stops.size(); ++stop)
    for (int pass = 0; pass < passes; ++pass) {
      const auto here = static_cast<double>(points[static_cast<std::size_t>(stops[stop])]);
      log.push_back({.iteration = static_cast<double>(settings.iteration),
                     .epoch = static_cast<double>(stop / points.size()) + pass,
                     .rank = static_cast<double>(stops[stop]),
                     .visits_before = static_cast<double>(log.size()),
                     .points_seen = seen,
                     .points_here = here,
                     .points_before =
                         static_cast<double>(settings.iteration) * total * settings.visits.epochs});
      seen += here;
    }
  return log;
}

/// One W step of M submodels over the ring, against what must have happened: who was trained where,
/// when and how often, whose copy set off, which bytes and messages were sent.
/// @param points the points on each machine.
template <Topology Machines>
void check_w_step(Machines& ring, std::size_t submodels, std::span<const std::size_t> points,
                  const WStepSettings& settings) {
  const int machines = ring.size();
  const auto P = static_cast<std::uint64_t>(machines);
  const auto e = static_cast<std::uint64_t>(settings.visits.epochs);
  const std::string where =
      text("P=", P, " M=", submodels, " e=", e, " local=", settings.visits.local_epochs,
           " shuffle=", settings.visits.shuffle_ring, " rank ", ring.rank(), ": ");

  const std::vector<SubmodelRange> kinds{{0, submodels}};
  const std::vector<Baton> batons = cut_batons(kinds, submodels, machines);
  RecordingModel model(submodels, e * P, ring.rank());
  const CountedShard shard{points[static_cast<std::size_t>(ring.rank())]};
  const MachineReport report =
      WStep<RecordingModel, Machines>(model, shard, ring, batons, settings).run();

  for (const Baton& baton : batons)
    for (std::size_t m = baton.range.first; m < baton.range.last; ++m) {
      expect(model.origin(m) == baton.origin, where, "submodel ", m, " is the copy of rank ",
             model.origin(m), ", not ", baton.origin);
      expect(model.visits(m) == e * P, where, "submodel ", m, " was trained ", model.visits(m),
             " times");
      expect(model.log(m) == expected_log(baton.origin, points, settings), where, "submodel ", m,
             " did not go the way of the plan");
      std::vector<std::uint64_t> times(P, 0); // the promise itself, whatever the plan says
      for (const LoggedVisit& visit : model.log(m)) ++times[static_cast<std::size_t>(visit.rank)];
      expect(times == std::vector<std::uint64_t>(P, e), where, "submodel ", m, " was not trained ",
             e, " times on each machine");
    }

  expect(report.passes == submodels * e, where, "made ", report.passes, " passes");
  std::vector<double> totals{static_cast<double>(report.bytes_sent),
                             static_cast<double>(report.messages_sent)};
  ring.all_sum(totals);
  const std::uint64_t hops = P == 1 ? 0 : ((settings.visits.local_epochs ? 1 : e) + 1) * P - 2;
  const std::uint64_t bytes = model.numbers().size() * sizeof(double);
  expect(totals[0] == static_cast<double>(bytes * hops), where, "all sent ", totals[0],
         " bytes, not ", bytes * hops);
  expect(totals[1] == static_cast<double>(batons.size() * hops), where, "all sent ", totals[1],
         " messages, not ", batons.size() * hops);
}

/// Every number of submodels around P, every number of epochs, every variant, one after another
/// without waiting for the machines to be level.
template <Topology Machines>
void check_w_steps(Machines& ring, std::span<const std::size_t> points) {
  const auto P = static_cast<std::size_t>(ring.size());
  int iteration = 0;
  for (const std::size_t submodels : {std::size_t{1}, P - 1, P, P + 1, 3 * P + 1})
    for (const int epochs : {1, 2, 5})
      for (const bool local : {false, true})
        for (const bool shuffle : {false, true})
          check_w_step(
              ring, submodels, points,
              {.visits = {epochs, local, shuffle},
               .seed = 5,
               .iteration = iteration++,
               .total_points = std::accumulate(points.begin(), points.end(), std::size_t{0})});
}

/// Shards of 1, 7, 1000 and 0 points in turn.
inline std::vector<std::size_t> uneven_points(int machines) {
  constexpr std::size_t sizes[] = {1, 7, 1000, 0};
  std::vector<std::size_t> points;
  for (int rank = 0; rank < machines; ++rank) points.push_back(sizes[rank % 4]);
  return points;
}

} // namespace parmac::tests
