// SPDX-License-Identifier: BSL-1.0
// One pass of the encoder's W step against the two matrix products that it consists of, bare; for a
// single hash function against a loop of dots and axpys as one would write it by hand.
#include <Eigen/Core>
#include <string>
#include <vector>

#include "parmac/models/binary_autoencoder.hpp"
#include "ratio.hpp"

using namespace parmac;
using namespace parmac::benchmarks;

namespace {

constexpr Index minibatch = 100;

struct Problem {
  Points points;
  BinaryAutoencoder model;
  BinaryShard shard;
};

// Bytes as those of images, codes that a linear function of them could give in part.
Problem make_problem(Index D, Index m, Index N, Scalar scalar) {
  RandomStream random(static_cast<std::uint64_t>(D + m));
  ByteMatrix X(D, N);
  for (auto& x : X.reshaped()) x = static_cast<std::uint8_t>(random.below(200));
  Points points = scalar == Scalar::uint8 ? Points(X) : Points(Eigen::MatrixXf(X.cast<float>()));
  BinaryAutoencoder model(D, m, {.minibatch = minibatch, .encoder_step = 1e-2});
  model.scaling().set(Eigen::VectorXf::Constant(D, 100.0F), 60.0F * std::sqrt(float(D)));
  BinaryShard shard(points, m);
  for (Index n = 0; n < N; ++n)
    for (Index l = 0; l < m; ++l) shard.Z.set(n, l, X(l % D, n) + X((l + 1) % D, n) > 200);
  return {points, std::move(model), std::move(shard)};
}

void against_products(Comparison& table, int runs, Index D, Index m, Scalar scalar) {
  const Index N = 20000;
  Problem problem = make_problem(D, m, N, scalar);
  const SubmodelRange encoder{0, static_cast<std::size_t>(m)};
  const Eigen::MatrixXf X = Eigen::MatrixXf::Random(D, minibatch);
  Eigen::MatrixXf W = Eigen::MatrixXf::Random(D, m);
  Eigen::MatrixXf S(minibatch, m);
  const SideBySide times = side_by_side(
      runs, [&] { problem.model.train(encoder, problem.shard, Visit{}); },
      [&] {
        for (Index batch = 0; batch < N / minibatch; ++batch) {
          S.noalias() = X.transpose() * W;
          W.noalias() += X * S * 1e-9F;
        }
      });
  const bool bytes = scalar == Scalar::uint8;
  const std::string name = "W step / 2 sgemm: " + std::to_string(m) +
                           " fused, D = " + std::to_string(D) + (bytes ? ", uint8" : ", float");
  char note[64];
  std::snprintf(note, sizeof note, "%.0f GFLOP/s",
                4e-9 * static_cast<double>(N * D * m) / times.ours);
  if (m == 64 && D == 128)
    table.at_least(name, times.ratio, bytes ? 0.7 : 0.85, note);
  else
    table.tell(name, times.ratio, note);
}

// The same pass for one SVM, point by point.
void plain_pass(const Problem& problem, Eigen::VectorXf& w, float& bias, const Visit& visit) {
  const Index D = problem.points.dimension();
  const Scaling& scaling = problem.model.scaling();
  RandomStream stream = visit.stream();
  const float shift = 1.0F / scaling.scale();
  Eigen::MatrixXf x(D, 1);
  Eigen::VectorXf g(D);
  float step = 1e-2F;
  for_each_minibatch(problem.points.size(), {minibatch, 4096}, stream,
                     [&](std::span<const Index> which) {
                       g.setZero();
                       float pull = 0;
                       for (const Index n : which) {
                         problem.points.load(n, x);
                         x = (x.col(0) - scaling.centre()) * shift;
                         const float y = problem.shard.Z.get(n, 0) ? 1.0F : -1.0F;
                         if (y * (w.dot(x.col(0)) + bias) < 1) {
                           g += y * x.col(0);
                           pull += y;
                         }
                       }
                       const float rate = step / static_cast<float>(which.size());
                       w = (1 - step * 1e-4F) * w + rate * g;
                       bias += rate * pull;
                     });
}

void against_loop(Comparison& table, int runs, Index D, Scalar scalar) {
  Problem problem = make_problem(D, 1, 20000, scalar);
  Eigen::VectorXf w = Eigen::VectorXf::Zero(D);
  float bias = 0;
  const SideBySide times = side_by_side(
      runs,
      [&] {
        problem.model.train({0, 1}, problem.shard, Visit{});
      },
      [&] { plain_pass(problem, w, bias, Visit{}); });
  char note[64];
  std::snprintf(note, sizeof note, "%.1f us a minibatch, the loop %.1f", times.ours * 5e3,
                times.theirs * 5e3);
  table.at_least("W step / dot and axpy loop: 1, D = " + std::to_string(D) +
                     (scalar == Scalar::uint8 ? ", uint8" : ", float"),
                 times.ratio, 1.0, note);
}

} // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const int runs = options.quick ? 7 : 15;
  Comparison table;
  for (const Index D : options.quick ? std::vector<Index>{128} : std::vector<Index>{128, 320, 784})
    for (const Scalar scalar : {Scalar::float32, Scalar::uint8}) {
      for (const Index m : {1, 8, 16, 64}) against_products(table, runs, D, m, scalar);
      against_loop(table, runs, D, scalar);
    }
  return table.status();
}
