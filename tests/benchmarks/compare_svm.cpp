// SPDX-License-Identifier: BSL-1.0
// The encoder's SVMs against liblinear's dual coordinate descent for the same problem, the linear
// hinge loss: the time that each takes to an objective near the smallest one.
#include <linear.h>

#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "parmac/data/open.hpp"
#include "ratio.hpp"
#include "training.hpp"

using namespace parmac;
using namespace parmac::benchmarks;

namespace {

constexpr double lambda = 1e-4;

/// The points as liblinear keeps them, each number with its place.
struct Sparse {
  explicit Sparse(const Eigen::MatrixXf& U)
      : nodes(static_cast<std::size_t>((U.rows() + 2) * U.cols())) {
    feature_node* node = nodes.data();
    for (Index n = 0; n < U.cols(); ++n) {
      rows.push_back(node);
      for (Index d = 0; d < U.rows(); ++d)
        *node++ = {static_cast<int>(d + 1), static_cast<double>(U(d, n))};
      *node++ = {static_cast<int>(U.rows() + 1), 1.0}; // the bias
      *node++ = {-1, 0.0};
    }
  }
  std::vector<feature_node> nodes;
  std::vector<feature_node*> rows;
};

/// Mean over the SVMs of lambda/2 |w|^2 + mean hinge loss.
double objective(const Eigen::MatrixXf& W, const Eigen::MatrixXf& U, const Eigen::MatrixXf& Y) {
  return HingeUpdate{.lambda = lambda}.objective(W, U, Y) / static_cast<double>(W.cols());
}

} // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv);
  const int runs = options.quick ? 5 : 9;
  const Points all = open_points(options.data + "/sift_learn.bvecs");
  const Index N = std::min<Index>(all.size(), options.quick ? 20000 : 50000);
  constexpr Index L = 8;

  // Labels as an encoder meets them: codes of a decoder's Z step, which no hyperplane gives.
  Training training(all.slice(0, N), L);
  training.iterate(3);
  Eigen::MatrixXf U(all.dimension(), N);
  all.load(0, U);
  training.model.scaling().normalise(U);
  Eigen::MatrixXf Y(N, L);
  std::vector<Index> everyone(static_cast<std::size_t>(N));
  std::iota(everyone.begin(), everyone.end(), Index{0});
  training.shard.Z.unpack(everyone, 0, -1.0F, 1.0F, Y);

  const Sparse sparse(U);
  set_print_string_function([](const char*) {});
  const auto by_liblinear = [&](double tolerance) {
    Eigen::MatrixXf W(U.rows() + 1, L);
    for (Index l = 0; l < L; ++l) {
      std::vector<double> y(static_cast<std::size_t>(N));
      for (Index n = 0; n < N; ++n) y[static_cast<std::size_t>(n)] = static_cast<double>(Y(n, l));
      problem data{};
      data.l = static_cast<int>(N);
      data.n = static_cast<int>(U.rows() + 1);
      data.x = const_cast<feature_node**>(sparse.rows.data());
      data.y = y.data();
      data.bias = 1;
      parameter how{};
      how.solver_type = L2R_L1LOSS_SVC_DUAL;
      how.C = 1.0 / (lambda * static_cast<double>(N));
      how.eps = tolerance;
      model* found = train(&data, &how);
      const double sign = found->label[0] == 1 ? 1 : -1;
      for (Index d = 0; d < W.rows(); ++d) W(d, l) = static_cast<float>(sign * found->w[d]);
      free_and_destroy_model(&found);
    }
    return W;
  };
  const auto by_sgd = [&](int epochs) {
    BinaryAutoencoder model(
        all.dimension(), L,
        {.lambda = lambda, .encoder_step = training.model.settings().encoder_step});
    model.scaling() = training.model.scaling();
    Visit visit;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      visit.epoch = epoch;
      visit.points_seen = static_cast<std::uint64_t>(epoch) * static_cast<std::uint64_t>(N);
      model.train({0, static_cast<std::size_t>(L)}, training.shard, visit);
    }
    return model.encoder();
  };

  // The smallest objective, as far as a strict tolerance finds it; then the first setting of each
  // method that comes within 2% of it.
  const double smallest = objective(by_liblinear(1e-3), U, Y);
  const double wanted = 1.02 * smallest;
  int epochs = 1;
  while (epochs < 64 && objective(by_sgd(epochs), U, Y) > wanted) ++epochs;
  double tolerance = 10;
  while (tolerance > 1e-3 && objective(by_liblinear(tolerance), U, Y) > wanted) tolerance /= 1.5;
  double ours = 0;
  double theirs = 0;
  const SideBySide times = side_by_side(
      runs, [&] { ours = objective(by_sgd(epochs), U, Y); },
      [&] { theirs = objective(by_liblinear(tolerance), U, Y); });
  Comparison table;
  char note[160];
  std::snprintf(note, sizeof note,
                "objectives %.4f (%d epochs, %.3f s), %.4f (eps %.2g, %.3f s), smallest %.4f", ours,
                epochs, times.ours, theirs, tolerance, times.theirs, smallest);
  if (ours > wanted)
    table.at_least("encoder, liblinear / parmac to the same objective", 0, 1, note);
  else
    table.tell("encoder, liblinear / parmac to the same objective", times.ratio, note);
  return table.status();
}
