// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "expect.hpp"
#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "parmac/testing/check_coordinate_step.hpp"
#include "parmac/testing/check_submodels.hpp"
#include "parmac/train/trainer.hpp"

// The promises that every nested model keeps, whatever it is made of. A test gives
//
//     struct Setup {
//       template <class Ring> auto prepare(Ring& ring) const;  // this machine's part, the model
//                                                              // started: an aggregate with
//                                                              // members model, shard, coordinates
//       template <class Shard> std::string bytes(const Shard&) const;    // its coordinates
//     };

namespace parmac::tests {

/// Every submodel as it travels after training, one after the other.
template <Submodels Model>
std::string model_bytes(Model& model) {
  std::string bytes;
  for (std::size_t m = 0; m < static_cast<std::size_t>(model.size()); ++m)
    bytes += testing::travelling_bytes(model, {m, m + 1}, false);
  return bytes;
}

struct Trained {
  std::string model;       ///< Its bytes.
  std::string coordinates; ///< Those of this machine.
  Report report;
};

/// Plain serial MAC, written out: no ring, no batons, no trainer.
template <class Setup>
Trained plain_mac(const Setup& setup, const FitSettings& settings) {
  SerialRing alone;
  auto part = setup.prepare(alone);
  using Model = decltype(part.model);
  const std::vector<SubmodelRange> kinds = testing::kinds_of(part.model);
  const auto N = static_cast<std::uint64_t>(part.shard.size());
  const auto w_step = [&](int iteration, SubmodelRange which) {
    for (const SubmodelRange kind : kinds) {
      if (kind.first < which.first || kind.last > which.last) continue;
      int epochs = settings.epochs;
      if constexpr (parmac::detail::HasEpochs<Model>) epochs = part.model.epochs(kind, epochs);
      for (int epoch = 0; epoch < epochs; ++epoch)
        part.model.train(kind, part.shard,
                         Visit{.seed = settings.seed,
                               .iteration = iteration,
                               .epoch = epoch,
                               .rank = 0,
                               .visits_before = static_cast<std::uint64_t>(epoch),
                               .points_seen = static_cast<std::uint64_t>(epoch) * N,
                               .points_before = static_cast<std::uint64_t>(iteration) *
                                                static_cast<std::uint64_t>(epochs) * N,
                               .let_messages_move = {}});
      if constexpr (parmac::detail::HasFinish<Model>) part.model.finish(kind);
    }
  };
  const SubmodelRange all{0, static_cast<std::size_t>(part.model.size())};
  Trained trained;
  bool fixed_point = false;
  int iteration = 0;
  while (iteration < settings.max_iterations && !fixed_point) {
    w_step(iteration, all);
    const double mu = settings.penalty(iteration);
    const CoordinateReport z = part.coordinates.update(part.model, part.shard, mu);
    fixed_point = z.violation == 0;
    ++iteration;
  }
  if constexpr (parmac::detail::HasProject<decltype(part.coordinates), Model>) {
    if (settings.final_fit) {
      if (!fixed_point) w_step(iteration++, all);
      part.coordinates.project(part.model, part.shard);
      if constexpr (parmac::detail::HasOutputLayer<Model>) {
        w_step(iteration, part.model.output_layer());
        part.coordinates.project(part.model, part.shard);
      }
    }
  }
  trained.model = model_bytes(part.model);
  trained.coordinates = setup.bytes(part.shard);
  return trained;
}

/// The bytes that all machines together must send in a W step: of every baton, the training form to
/// each training stop but the first, then the final one to the others.
template <class Model>
std::uint64_t bytes_of_w_step(Model& model, int machines, const FitSettings& settings) {
  std::uint64_t bytes = 0;
  if (machines == 1) return 0;
  const std::vector<SubmodelRange> kinds = testing::kinds_of(model);
  std::function<double(SubmodelRange)> cost;
  if constexpr (parmac::detail::HasCost<Model>)
    cost = [&model](SubmodelRange range) { return model.cost(range); };
  for (const Baton& baton : cut_batons(kinds, static_cast<std::size_t>(model.size()), machines,
                                       settings.batons_per_machine, cost)) {
    int epochs = settings.epochs;
    if constexpr (parmac::detail::HasEpochs<Model>) epochs = model.epochs(baton.range, epochs);
    const auto laps = static_cast<std::uint64_t>(settings.local_epochs ? 1 : epochs);
    const auto P = static_cast<std::uint64_t>(machines);
    bytes += (laps * P - 1) * testing::travelling_bytes(model, baton.range, true).size() +
             (P - 1) * testing::travelling_bytes(model, baton.range, false).size();
  }
  return bytes;
}

/// Trains this machine's part over a ring, and checks what every iteration's report must say.
/// @param slack how much the penalised objective may rise in a Z step, relatively.
template <class Setup, class Ring>
Trained train_over(Ring& ring, const Setup& setup, const FitSettings& settings,
                   double slack = 1e-9) {
  auto part = setup.prepare(ring);
  using Model = decltype(part.model);
  Trainer trainer{part.model, part.coordinates, ring};
  Trained trained;
  trained.report = trainer.fit(part.shard, settings);
  for (const IterationReport& iteration : trained.report.iterations) {
    expect(iteration.objective <= iteration.before + slack * std::abs(iteration.before),
           "iteration ", iteration.iteration, " on ", ring.size(), " machines: the Z step raises ",
           iteration.before, " to ", iteration.objective);
    if constexpr (FlatSubmodels<Model>)
      expect(iteration.bytes_sent() == bytes_of_w_step(part.model, ring.size(), settings),
             "iteration ", iteration.iteration, " on ", ring.size(), " machines: sent ",
             iteration.bytes_sent(), " bytes, not ",
             bytes_of_w_step(part.model, ring.size(), settings));
    for (const MachineReport& machine : iteration.machines) {
      std::uint64_t passes = 0;
      for (const SubmodelRange kind : testing::kinds_of(part.model)) {
        int epochs = settings.epochs;
        if constexpr (parmac::detail::HasEpochs<Model>) epochs = part.model.epochs(kind, epochs);
        passes += kind.size() * static_cast<std::uint64_t>(epochs);
      }
      expect(machine.passes == passes, "a machine made ", machine.passes, " passes, not ", passes);
    }
  }
  trained.model = model_bytes(part.model);
  trained.coordinates = setup.bytes(part.shard);
  return trained;
}

template <class Setup>
std::vector<Trained> train_on_threads(int machines, const Setup& setup,
                                      const FitSettings& settings) {
  std::vector<Trained> parts(static_cast<std::size_t>(machines));
  run_threads(machines, [&](ThreadRing& ring) {
    parts[static_cast<std::size_t>(ring.rank())] = train_over(ring, setup, settings);
  });
  return parts;
}

/// Serial = plain loop; one thread = serial; all machines end alike, twice the same.
template <class Setup>
void check_promises(const Setup& setup, const FitSettings& settings) {
  SerialRing alone;
  const Trained serial = train_over(alone, setup, settings);
  const Trained plain = plain_mac(setup, settings);
  CHECK(serial.model == plain.model);
  CHECK(serial.coordinates == plain.coordinates);
  for (const int machines : {1, 2, 4}) {
    const std::vector<Trained> first = train_on_threads(machines, setup, settings);
    const std::vector<Trained> second = train_on_threads(machines, setup, settings);
    for (std::size_t rank = 0; rank < first.size(); ++rank) {
      CHECK(first[rank].model == first[0].model);
      CHECK(second[rank].model == first[0].model);
      CHECK(second[rank].coordinates == first[rank].coordinates);
    }
    if (machines == 1) CHECK(first[0].model == serial.model);
    if (machines == 1) CHECK(first[0].coordinates == serial.coordinates);
  }
}

/// The laws that the compiler cannot see, of the model and of its Z step at penalty mu.
template <class Setup, class EmptyShard>
void check_laws(const Setup& setup, double mu, EmptyShard&& empty_shard, double slack = 1e-9) {
  SerialRing alone;
  const auto make_model = [&] { return setup.prepare(alone).model; };
  const auto make_shard = [&] { return setup.prepare(alone).shard; };
  auto empty = empty_shard();
  for (const std::string& law : testing::check_submodels(make_model, make_shard(), empty))
    FAIL_CHECK(law);
  auto part = setup.prepare(alone);
  for (const std::string& law :
       testing::check_coordinate_step(part.model, part.coordinates, make_shard, empty, mu, slack))
    FAIL_CHECK(law);
}

/// Every machine of an MPI ring calls it: MPI trains what threads train, bit for bit.
template <class Setup, class Ring>
void check_mpi(Ring& ring, const Setup& setup, const FitSettings& settings) {
  const Trained mine = train_over(ring, setup, settings);
  const std::vector<std::string> models = ring.all_gather(mine.model);
  const std::vector<std::string> coordinates = ring.all_gather(mine.coordinates);
  if (ring.rank() != 0) return;
  const std::vector<Trained> threads = train_on_threads(ring.size(), setup, settings);
  for (std::size_t rank = 0; rank < models.size(); ++rank) {
    CHECK(models[rank] == threads[0].model);
    CHECK(coordinates[rank] == threads[rank].coordinates);
  }
}

} // namespace parmac::tests
