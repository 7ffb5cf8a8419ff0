// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parmac/core/submodels.hpp"

namespace parmac::tests {

/// A shard that is nothing but its number of points.
struct CountedShard {
  std::size_t points = 0;
  [[nodiscard]] std::size_t size() const { return points; }
};

/// What a submodel writes down of one training visit.
struct LoggedVisit {
  double iteration = 0;
  double epoch = 0;
  double rank = 0;
  double visits_before = 0;
  double points_seen = 0;
  double points_here = 0;
  double points_before = 0;
  friend bool operator==(const LoggedVisit&, const LoggedVisit&) = default;
};

/// Submodels of different sizes that learn nothing but where they have been: their parameters are
/// the rank of the machine whose copy set off, and a log of all visits. Models Submodels.
class RecordingModel {
public:
  using shard_type = CountedShard;

  RecordingModel(std::size_t submodels, std::size_t visits, int rank) : capacity_(visits) {
    for (std::size_t m = 0; m <= submodels; ++m) {
      offsets_.push_back(numbers_.size());
      if (m < submodels) {
        numbers_.resize(numbers_.size() + 2 + fields * visits + m % 3, -1.0);
        numbers_[offsets_[m]] = rank;
        numbers_[offsets_[m] + 1] = 0;
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return offsets_.size() - 1; }

  std::span<double> parameters(SubmodelRange range) {
    return std::span(numbers_).subspan(offsets_[range.first],
                                       offsets_[range.last] - offsets_[range.first]);
  }

  void train(SubmodelRange range, const CountedShard& shard, const Visit& visit) {
    for (std::size_t m = range.first; m < range.last; ++m) {
      visit.progress();
      double& count = numbers_[offsets_[m] + 1];
      const auto at = static_cast<std::size_t>(count);
      if (at < capacity_) {
        const double entry[fields] = {
            static_cast<double>(visit.iteration),    static_cast<double>(visit.epoch),
            static_cast<double>(visit.rank),         static_cast<double>(visit.visits_before),
            static_cast<double>(visit.points_seen),  static_cast<double>(shard.size()),
            static_cast<double>(visit.points_before)};
        std::copy_n(entry, fields, &numbers_[offsets_[m] + 2 + fields * at]);
      }
      ++count; // beyond the capacity too, so that one visit too many is seen
    }
  }

  [[nodiscard]] int origin(std::size_t m) const { return static_cast<int>(numbers_[offsets_[m]]); }
  [[nodiscard]] std::size_t visits(std::size_t m) const {
    return static_cast<std::size_t>(numbers_[offsets_[m] + 1]);
  }
  [[nodiscard]] std::vector<LoggedVisit> log(std::size_t m) const {
    std::vector<LoggedVisit> entries;
    for (std::size_t i = 0; i < std::min(visits(m), capacity_); ++i) {
      const double* e = &numbers_[offsets_[m] + 2 + fields * i];
      entries.push_back({e[0], e[1], e[2], e[3], e[4], e[5], e[6]});
    }
    return entries;
  }
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }

private:
  static constexpr std::size_t fields = 7;
  std::size_t capacity_;
  std::vector<std::size_t> offsets_;
  std::vector<double> numbers_;
};
static_assert(Submodels<RecordingModel>);

} // namespace parmac::tests
