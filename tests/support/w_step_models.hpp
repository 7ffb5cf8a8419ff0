// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "expect.hpp"
#include "parmac/ring/baton.hpp"
#include "parmac/serialization.hpp"
#include "parmac/train/w_step.hpp"
#include "recording_model.hpp"
#include "w_step_suite.hpp"

namespace parmac::tests {

/// Submodels that gather statistics on their way (how many points, weighted by rank + 1) and turn
/// them into parameters at the end. Statistics and parameters have different sizes.
class StatisticsModel {
public:
  using shard_type = CountedShard;

  explicit StatisticsModel(std::size_t submodels)
      : submodels_(submodels),
        statistics_(submodels * statistics_size),
        parameters_(submodels * parameters_size, -1),
        finished_(submodels, 0) {}

  static constexpr std::size_t statistics_size = 5;
  static constexpr std::size_t parameters_size = 2;

  [[nodiscard]] std::size_t size() const { return submodels_; }
  std::span<double> parameters(SubmodelRange r) {
    return std::span(parameters_).subspan(r.first * parameters_size, r.size() * parameters_size);
  }
  std::span<double> statistics(SubmodelRange r) {
    return std::span(statistics_).subspan(r.first * statistics_size, r.size() * statistics_size);
  }
  void train(SubmodelRange r, const CountedShard& shard, const Visit& visit) {
    for (std::size_t m = r.first; m < r.last; ++m) {
      double* sums = &statistics_[m * statistics_size];
      if (visit.first()) std::fill_n(sums, statistics_size, 0.0);
      sums[0] += static_cast<double>(shard.size());
      sums[statistics_size - 1] += static_cast<double>(shard.size()) * (visit.rank + 1);
    }
  }
  void finish(SubmodelRange r) {
    for (std::size_t m = r.first; m < r.last; ++m) {
      const double* sums = &statistics_[m * statistics_size];
      parameters_[m * parameters_size] = sums[0];
      parameters_[m * parameters_size + 1] = sums[statistics_size - 1] + static_cast<double>(m);
      ++finished_[m];
    }
  }
  [[nodiscard]] const std::vector<double>& finished() const { return finished_; }

private:
  std::size_t submodels_;
  std::vector<double> statistics_;
  std::vector<double> parameters_;
  std::vector<double> finished_; // here, how often
};
static_assert(Submodels<StatisticsModel>);

/// Statistics travel while a range trains, parameters when it is delivered; `finish` is called
/// once.
template <Topology Machines>
void check_statistics(Machines& ring, std::size_t submodels, std::span<const std::size_t> points,
                      const WStepSettings& settings) {
  const std::vector<SubmodelRange> kinds{{0, submodels}};
  const std::vector<Baton> batons = cut_batons(kinds, submodels, ring.size());
  StatisticsModel model(submodels);
  const CountedShard shard{points[static_cast<std::size_t>(ring.rank())]};
  const MachineReport report =
      WStep<StatisticsModel, Machines>(model, shard, ring, batons, settings).run();

  double sum = 0, weighted = 0;
  for (std::size_t rank = 0; rank < points.size(); ++rank) {
    sum += settings.visits.epochs * static_cast<double>(points[rank]);
    weighted += settings.visits.epochs * static_cast<double>(points[rank] * (rank + 1));
  }
  for (std::size_t m = 0; m < submodels; ++m) {
    const auto parameters = model.parameters({m, m + 1});
    expect(parameters[0] == sum && parameters[1] == weighted + static_cast<double>(m), "submodel ",
           m, " on rank ", ring.rank(), " came home with ", parameters[0], " points, not ", sum);
  }
  std::vector<double> finished = model.finished();
  ring.all_sum(finished);
  expect(finished == std::vector<double>(submodels, 1.0), "some range was not finished just once");

  double bytes = static_cast<double>(report.bytes_sent);
  ring.all_sum(std::span(&bytes, 1));
  const auto P = static_cast<std::size_t>(ring.size());
  const auto laps =
      static_cast<std::size_t>(settings.visits.local_epochs ? 1 : settings.visits.epochs);
  const std::size_t formula = // eP stops that train make eP - 1 hops among them, P - 1 deliver
      P == 1 ? 0
             : submodels * sizeof(double) *
                   (StatisticsModel::statistics_size * (laps * P - 1) +
                    StatisticsModel::parameters_size * (P - 1));
  expect(bytes == static_cast<double>(formula), "sent ", bytes, " bytes, not ", formula);
}

/// Recording submodels in two kinds, of which the second wants one epoch only.
class TwoKinds : public RecordingModel {
public:
  TwoKinds(std::size_t first, std::size_t second, std::size_t visits, int rank)
      : RecordingModel(first + second, visits, rank), first_(first) {}
  [[nodiscard]] std::vector<SubmodelRange> kinds() const { return {{0, first_}, {first_, size()}}; }
  [[nodiscard]] int epochs(SubmodelRange range, int asked) const {
    return range.first < first_ ? asked : 1;
  }

private:
  std::size_t first_;
};
static_assert(Submodels<TwoKinds>);

/// Each kind is trained as many epochs as it wants, and pays for as many hops.
template <Topology Machines>
void check_epochs_of_kinds(Machines& ring, std::size_t first, std::size_t second,
                           std::span<const std::size_t> points, const WStepSettings& settings) {
  const int P = ring.size();
  TwoKinds model(first, second, static_cast<std::size_t>(settings.visits.epochs * P), ring.rank());
  const std::vector<Baton> batons = cut_batons(model.kinds(), model.size(), P);
  const CountedShard shard{points[static_cast<std::size_t>(ring.rank())]};
  const MachineReport report =
      WStep<TwoKinds, Machines>(model, shard, ring, batons, settings).run();

  double expected_bytes = 0;
  for (const Baton& baton : batons) {
    WStepSettings own = settings;
    own.visits.epochs = model.epochs(baton.range, settings.visits.epochs);
    for (std::size_t m = baton.range.first; m < baton.range.last; ++m)
      expect(model.log(m) == expected_log(baton.origin, points, own) &&
                 model.visits(m) == static_cast<std::size_t>(own.visits.epochs * P),
             "submodel ", m, " of a kind with ", own.visits.epochs, " epochs went another way");
    const int laps = own.visits.local_epochs ? 1 : own.visits.epochs;
    if (P > 1)
      expected_bytes +=
          static_cast<double>(model.parameters(baton.range).size_bytes()) * ((laps + 1) * P - 2);
  }
  double bytes = static_cast<double>(report.bytes_sent);
  ring.all_sum(std::span(&bytes, 1));
  expect(bytes == expected_bytes, "sent ", bytes, " bytes, not ", expected_bytes);
}

/// Submodels that are not flat: each keeps a list of words that grows with every visit.
class WordyModel {
public:
  using shard_type = CountedShard;

  explicit WordyModel(std::size_t submodels) : words(submodels) {}
  [[nodiscard]] std::size_t size() const { return words.size(); }
  void train(SubmodelRange r, const CountedShard& shard, const Visit& visit) {
    for (std::size_t m = r.first; m < r.last; ++m)
      words[m].push_back(word(visit.rank, visit.epoch, shard.size()));
  }
  template <class Archive>
  void serialize(Archive& archive, SubmodelRange r) {
    for (std::size_t m = r.first; m < r.last; ++m) archive& words[m];
  }
  static std::string word(int rank, int epoch, std::size_t points) {
    return text("rank ", rank, " epoch ", epoch, std::string(points, '.'));
  }

  std::vector<std::vector<std::string>> words;
};

/// Submodels of changing size travel as archives and go the same way.
template <Topology Machines>
void check_archives(Machines& ring, std::size_t submodels, std::span<const std::size_t> points,
                    const WStepSettings& settings) {
  const std::vector<SubmodelRange> kinds{{0, submodels}};
  const std::vector<Baton> batons = cut_batons(kinds, submodels, ring.size());
  WordyModel model(submodels);
  const CountedShard shard{points[static_cast<std::size_t>(ring.rank())]};
  WStep<WordyModel, Machines>(model, shard, ring, batons, settings).run();
  for (const Baton& baton : batons)
    for (std::size_t m = baton.range.first; m < baton.range.last; ++m) {
      std::vector<std::string> expected;
      for (const LoggedVisit& visit : expected_log(baton.origin, points, settings))
        expected.push_back(WordyModel::word(static_cast<int>(visit.rank),
                                            static_cast<int>(visit.epoch),
                                            static_cast<std::size_t>(visit.points_here)));
      expect(model.words[m] == expected, "submodel ", m, " on rank ", ring.rank(),
             " came home with other words");
    }
}

} // namespace parmac::tests
