// SPDX-License-Identifier: BSL-1.0
//
// The types of docs/howto/submodels.md: what a model needs, and what it may have beside that.

#include <array>
#include <boost/serialization/map.hpp>
#include <cmath>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "parmac/parmac.hpp"
#include "parmac/serialization.hpp"
#include "parmac/testing/check_submodels.hpp"

namespace {

struct Shard { // what one machine holds
  std::vector<std::array<double, 3>> points;
  [[nodiscard]] std::size_t size() const { return points.size(); }
};

// Submodel i learns the mean of feature i.
struct Means {
  using shard_type = Shard;
  std::vector<double> mean = {0, 0, 0};

  [[nodiscard]] std::size_t size() const { return mean.size(); }
  std::span<double> parameters(parmac::SubmodelRange r) {
    return std::span(mean).subspan(r.first, r.size());
  }
  void train(parmac::SubmodelRange r, const Shard& shard, const parmac::Visit& visit) {
    auto seen = static_cast<double>(visit.points_before + visit.points_seen);
    for (const auto& x : shard.points) {
      ++seen;
      for (std::size_t i = r.first; i < r.last; ++i) mean[i] += (x[i] - mean[i]) / seen;
    }
  }
};

// The same from sums, which are exact and need a single pass.
struct ExactMeans {
  using shard_type = Shard;
  std::vector<double> mean = {0, 0, 0};
  std::vector<double> sums = std::vector<double>(6); // of submodel i: sum and count

  [[nodiscard]] std::size_t size() const { return mean.size(); }
  std::span<double> parameters(parmac::SubmodelRange r) {
    return std::span(mean).subspan(r.first, r.size());
  }
  std::span<double> statistics(parmac::SubmodelRange r) {
    return std::span(sums).subspan(2 * r.first, 2 * r.size());
  }
  void train(parmac::SubmodelRange r, const Shard& shard, const parmac::Visit& visit) {
    if (visit.first())
      for (double& sum : statistics(r)) sum = 0;
    for (const auto& x : shard.points)
      for (std::size_t i = r.first; i < r.last; ++i) {
        sums[2 * i] += x[i];
        sums[2 * i + 1] += 1;
      }
  }
  void finish(parmac::SubmodelRange r) {
    for (std::size_t i = r.first; i < r.last; ++i)
      if (sums[2 * i + 1] > 0) mean[i] = sums[2 * i] / sums[2 * i + 1];
  }
  [[nodiscard]] int epochs(parmac::SubmodelRange, int) const { return 1; }
};

// Submodel i counts the whole parts of feature i: no flat memory, and it grows as it travels.
struct Histograms {
  using shard_type = Shard;
  std::array<std::map<int, int>, 3> counts;

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  template <class Archive>
  void serialize(Archive& archive, parmac::SubmodelRange r) {
    for (std::size_t i = r.first; i < r.last; ++i) archive& counts[i];
  }
  void train(parmac::SubmodelRange r, const Shard& shard, const parmac::Visit&) {
    for (const auto& x : shard.points)
      for (std::size_t i = r.first; i < r.last; ++i)
        ++counts[i][static_cast<int>(std::floor(x[i]))];
  }
};

// These submodels stand alone: there are no coordinates to improve.
struct NoCoordinates {
  template <class Model>
  parmac::CoordinateReport update(const Model&, Shard&, double) const {
    return {};
  }
};

template <class Model>
void check_laws() {
  const Shard shard{{{1, 2, 3}, {5, 6, 8}, {0, 1, 7}}};
  const Shard empty{};
  const std::vector<std::string> broken =
      parmac::testing::check_submodels([] { return Model(); }, shard, empty);
  for (const std::string& sentence : broken) std::cout << sentence << "\n";
  parmac::require(broken.empty(), "laws are broken");
}

// Trains on three machines of 1, 2 and 3 points, and gives the model that rank 2 ends with.
template <class Model>
Model trained() {
  Model result;
  parmac::run_threads(3, [&](parmac::ThreadRing& ring) {
    Shard shard;
    for (int n = 0; n <= ring.rank(); ++n)
      shard.points.push_back({1.0 * n, 2.0, ring.rank() + 0.5});
    Model model;
    NoCoordinates coordinates;
    parmac::Trainer trainer{model, coordinates, ring};
    trainer.fit(shard, {.max_iterations = 1});
    if (ring.rank() == 2) result = model;
  });
  return result;
}

} // namespace

int main() {
  check_laws<Means>();
  check_laws<ExactMeans>();
  check_laws<Histograms>();

  // The points have first features 0; 0, 1; 0, 1, 2, of mean 2/3.
  const Means means = trained<Means>();
  const ExactMeans exact = trained<ExactMeans>();
  Histograms histograms = trained<Histograms>();
  std::cout << "means " << means.mean[0] << " and " << exact.mean[0] << ", "
            << histograms.counts[0][0] << " zeros\n";
  parmac::require(std::abs(means.mean[0] - 2.0 / 3) < 1e-12, "means");
  parmac::require(exact.mean[0] == 4.0 / 6, "exact means");
  parmac::require(histograms.counts[0][0] == 3 && histograms.counts[0][1] == 2, "histograms");
}
