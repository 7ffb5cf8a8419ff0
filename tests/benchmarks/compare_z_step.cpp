// SPDX-License-Identifier: BSL-1.0
// The Z step against what it cannot do without: the exact one against the enumeration of all codes,
// the alternating one, once the points are encoded, against the two matrix products A'(x - c) and
// A'A Z.
#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <vector>

#include "parmac/data/open.hpp"
#include "parmac/models/binary_autoencoder.hpp"
#include "ratio.hpp"
#include "training.hpp"

using namespace parmac;
using namespace parmac::benchmarks;

namespace {

double update(BinaryMethod method, const BinaryAutoencoder& model, BinaryShard& shard, double mu) {
  BinaryCoordinates step({.method = method});
  return step.update(model, shard, mu).objective;
}

void against_enumeration(Comparison& table, int runs, const Points& learn, Index L, Index points) {
  Training training(learn, L);
  training.iterate(2);
  BinaryShard some(learn.slice(0, points), L);
  some.Z = training.shard.Z;
  some.Z.resize(points);
  BinaryShard others = some;
  const PackedCodes before = some.Z;
  double objectives[2] = {0, 0};
  const SideBySide times = side_by_side(
      runs,
      [&] {
        some.Z = before;
        objectives[0] = update(BinaryMethod::exact, training.model, some, training.mu);
      },
      [&] {
        others.Z = before;
        objectives[1] = update(BinaryMethod::enumeration, training.model, others, training.mu);
      });
  const bool same = objectives[0] <= objectives[1] * (1 + 1e-9);
  const std::string name = "exact Z step / enumeration, L = " + std::to_string(L);
  char note[96];
  std::snprintf(note, sizeof note, "%.2f us a point, enumeration %.0f; objectives %s",
                times.ours / static_cast<double>(points) * 1e6,
                times.theirs / static_cast<double>(points) * 1e6, same ? "agree" : "DIFFER");
  if (L == 16)
    table.at_least(name, same ? times.ratio : 0, 150, note);
  else
    table.tell(name, times.ratio, note);
}

void against_products(Comparison& table, int runs, const Points& learn, Index L, int iterations) {
  Training training(learn, L);
  training.iterate(iterations);
  const PackedCodes before = training.shard.Z;

  constexpr Index block = 1024;
  const Eigen::MatrixXf A = training.model.decoder().topRows(L).transpose();
  const Eigen::MatrixXf G = A.transpose() * A;
  const Eigen::MatrixXf residual = Eigen::MatrixXf::Random(A.rows(), block);
  const Eigen::MatrixXf Z = Eigen::MatrixXf::Random(L, block).cwiseSign();
  Eigen::MatrixXf t(L, block);
  Eigen::MatrixXf GZ(L, block);
  const Index N = learn.size() / block * block;
  training.shard = BinaryShard(learn.slice(0, N), L);
  PackedCodes start = before;
  start.resize(N);
  // Median seconds a point of the step, of the encoding that is part of it, and of the products.
  std::vector<double> ratios;
  std::vector<double> steps;
  std::vector<double> encodings;
  std::vector<double> products;
  for (int run = 0; run <= runs; ++run) {
    training.shard.Z = start;
    const double step = seconds(
        [&] { update(BinaryMethod::alternating, training.model, training.shard, training.mu); });
    const double encoding =
        seconds([&] { (void)encode_points(training.model, training.shard.points, 1); });
    const double product = seconds([&] {
      for (Index first = 0; first < N; first += block) {
        t.noalias() = A.transpose() * residual;
        GZ.noalias() = G * Z;
      }
    });
    if (run == 0) continue; // which warms up
    ratios.push_back((step - encoding) / product);
    steps.push_back(step / static_cast<double>(N));
    encodings.push_back(encoding / static_cast<double>(N));
    products.push_back(product / static_cast<double>(N));
  }
  char note[120];
  std::snprintf(note, sizeof note, "us a point: step %.3f, of it encoding %.3f; products %.3f",
                median(steps) * 1e6, median(encodings) * 1e6, median(products) * 1e6);
  const std::string name = "Z step after encoding / 2 products, L = " + std::to_string(L) +
                           ", iteration " + std::to_string(iterations + 1);
  if (L == 64)
    table.at_most(name, median(ratios), 2, note);
  else
    table.tell(name, median(ratios), note);
}

} // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const int runs = options.quick ? 5 : 11;
  const Points learn = open_points(options.data + "/sift_learn.bvecs");
  Comparison table;
  against_enumeration(table, runs, learn, 8, 2000);
  against_enumeration(table, runs, learn, 12, 500);
  against_enumeration(table, runs, learn, 16, 1000);
  for (const Index L : options.quick ? std::vector<Index>{64} : std::vector<Index>{32, 64, 128})
    for (const int iterations : {0, 3, 6}) against_products(table, runs, learn, L, iterations);
  return table.status();
}
