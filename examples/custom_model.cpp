// SPDX-License-Identifier: BSL-1.0
//
// A nested model of one's own: y = B'z with z = A'x, a bottleneck of two coordinates. Run it as
//     custom_model          custom_model threads          mpirun -n 4 custom_model mpi

#include <Eigen/Dense>
#include <iostream>
#include <numeric>
#include <string>

#include "parmac/mpi.hpp"

// What one machine holds: its points and their coordinates, a point a column.
struct Shard {
  Eigen::MatrixXd X, Y, Z;
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(X.cols()); }
};

// The submodels: every unit of a layer is one, so M = 2 + 3. A unit's weights are a column.
struct Layers {
  using shard_type = Shard;
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(5, 2); // from x to z
  Eigen::MatrixXd B = Eigen::MatrixXd::Identity(2, 3); // from z to y

  [[nodiscard]] std::size_t size() const { return 5; }
  [[nodiscard]] std::vector<parmac::SubmodelRange> kinds() const { return {{0, 2}, {2, 5}}; }

  // What travels: the memory of a range's columns.
  std::span<double> parameters(parmac::SubmodelRange r) {
    if (r.first < 2) return {A.col(static_cast<int>(r.first)).data(), 5 * r.size()};
    return {B.col(static_cast<int>(r.first) - 2).data(), 2 * r.size()};
  }

  // One pass of stochastic gradient descent over this machine's points, in a random order.
  void train(parmac::SubmodelRange r, const Shard& shard, const parmac::Visit& visit) {
    const bool first_layer = r.first < 2;
    const int offset = static_cast<int>(r.first) - (first_layer ? 0 : 2);
    auto W = (first_layer ? A : B).middleCols(offset, static_cast<int>(r.size()));
    const Eigen::MatrixXd& inputs = first_layer ? shard.X : shard.Z;
    const auto targets = (first_layer ? shard.Z : shard.Y).middleRows(offset, W.cols());
    std::vector<int> order(shard.size());
    std::iota(order.begin(), order.end(), 0);
    visit.stream().shuffle(std::span(order));
    for (const int n : order)
      W -= 0.1 * inputs.col(n) * (W.transpose() * inputs.col(n) - targets.col(n)).transpose();
  }
};

// The Z step: each z minimises |y - B'z|^2 + mu |z - A'x|^2, in closed form.
struct Coordinates {
  parmac::CoordinateReport update(const Layers& model, Shard& s, double mu) const {
    const Eigen::MatrixXd forward = model.A.transpose() * s.X;
    const auto cost = [&] {
      return (s.Y - model.B.transpose() * s.Z).squaredNorm() + mu * (s.Z - forward).squaredNorm();
    };
    parmac::CoordinateReport report{.before = cost()};
    s.Z = (model.B * model.B.transpose() + mu * Eigen::Matrix2d::Identity())
              .llt()
              .solve(model.B * s.Y + mu * forward);
    report.objective = cost();
    report.nested = (s.Y - model.B.transpose() * forward).squaredNorm();
    report.violation = (s.Z - forward).squaredNorm();
    report.changed = static_cast<double>(s.size());
    return report;
  }
};

// The same on every kind of ring: each machine makes its own points, and all train together.
template <class Ring>
void train(Ring& ring) {
  Eigen::MatrixXd truth(3, 5); // of rank 2, so two coordinates suffice
  truth << 1, 0, 1, 0, 1, 0, 2, 0, 2, 0, 1, 2, 1, 2, 1;
  Shard shard{Eigen::MatrixXd(5, 500), {}, {}};
  parmac::RandomStream random(7, static_cast<std::uint64_t>(ring.rank()));
  for (double& x : shard.X.reshaped()) x = 0.5 * random.normal();
  shard.Y = truth * shard.X;

  Layers layers;
  shard.Z = layers.A.transpose() * shard.X;
  Coordinates coordinates;
  parmac::Trainer trainer{layers, coordinates, ring};
  const auto report = trainer.fit(shard, {.penalty = parmac::GeometricPenalty{0.5, 1.1}});

  const double unexplained = report.iterations.back().nested / shard.Y.squaredNorm() / ring.size();
  if (ring.rank() == 0)
    std::cout << report.brief() + (unexplained < 1e-3 ? "\nlearned\n" : "\nnot learned\n");
}

int main(int argc, char** argv) {
  const std::string where = argc > 1 ? argv[1] : "serial";
  if (where == "mpi")
    return parmac::run_mpi(argc, argv, [](const boost::mpi::communicator& world) {
      parmac::MpiRing ring{world};
      train(ring);
    });
  if (where == "threads") parmac::run_threads(4, [](parmac::ThreadRing& ring) { train(ring); });
  parmac::SerialRing alone;
  if (where == "serial") train(alone);
}
