// SPDX-License-Identifier: BSL-1.0
//
// Dimension reduction trained jointly with linear SVMs, against principal components followed by
// the same SVMs: test accuracy at equal dimension, mean and deviation over random splits. Run it as
//     svm_reduction     svm_reduction --threads 4     mpirun -n 4 svm_reduction
// or on comma-separated tables, the class last: svm_reduction --table a.csv. It printed, alone:
//     table               L  PCA + SVM        joint, linear    joint, RBF
//     iris.csv            1  0.838 (0.067)    0.913 (0.083)    0.844 (0.107)

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "parmac/models/svm_reduction.hpp"
#include "parmac/mpi.hpp"
#include "where.hpp"

using parmac::Index;

struct Options {
  std::vector<std::string> tables = {PARMAC_EXAMPLE_DATA "/iris.csv",
                                     PARMAC_EXAMPLE_DATA "/wine.csv",
                                     PARMAC_EXAMPLE_DATA "/breast_cancer.csv"};
  std::vector<Index> dimensions = {1, 2, 3};
  Index centres = 100, train = 0;
  int threads = 1, splits = 10;
};

/// Test accuracy of a model trained on the first n of the points, this machine's share of them.
template <class Ring>
double accuracy(Ring& ring, const parmac::LabelledTable& table, Index n, Index L, Index centres,
                double mu) {
  const parmac::Share share = parmac::even_share(n, ring.size(), ring.rank());
  const Eigen::MatrixXf mine = table.X.middleCols(share.first, share.count);
  const auto sum = [&](std::span<double> values) { ring.all_sum(values); };
  parmac::FeatureMap map = parmac::all_features(table.X.rows());
  if (centres > 0) {
    const Eigen::MatrixXf C = parmac::k_means(mine, share.first, std::min(centres, n / 2), sum);
    map = parmac::rbf_features(C, parmac::mean_distance(C));
  }
  const Index classes = 1 + *std::max_element(table.labels.begin(), table.labels.end());
  parmac::SvmReduction model(map, L, classes, {.ridge = 1e-3});
  const auto from = table.labels.begin() + share.first;
  parmac::ReductionShard shard(parmac::Points(mine), {from, from + share.count}, L);
  parmac::start(model, shard, sum);
  parmac::ReductionCoordinates coordinates;
  parmac::Trainer{model, coordinates, ring}.fit(
      shard, {.penalty = parmac::GeometricPenalty{mu, 1.3}, .max_iterations = 20, .epochs = 20});
  const auto said = model.classify(model.reduce(table.X.rightCols(table.X.cols() - n)));
  double right = 0;
  for (std::size_t i = 0; i < said.size(); ++i)
    right += said[i] == table.labels[static_cast<std::size_t>(n) + i] ? 1 : 0;
  return right / static_cast<double>(said.size());
}

/// The points in another order, each feature with mean 0 and variance 1 over the first n.
parmac::LabelledTable shuffled(const parmac::LabelledTable& table, Index n, bool shuffle,
                               int split) {
  std::vector<Index> order(table.labels.size());
  std::iota(order.begin(), order.end(), Index{0});
  if (shuffle) parmac::RandomStream(7, static_cast<std::uint64_t>(split)).shuffle(std::span(order));
  parmac::LabelledTable to = table;
  for (std::size_t i = 0; i < order.size(); ++i) {
    to.X.col(static_cast<Index>(i)) = table.X.col(order[i]);
    to.labels[i] = table.labels[static_cast<std::size_t>(order[i])];
  }
  to.X.colwise() -= to.X.leftCols(n).rowwise().mean().eval();
  for (Index d = 0; d < to.X.rows(); ++d)
    if (const float size = to.X.row(d).head(n).norm(); size > 0)
      to.X.row(d) *= std::sqrt(static_cast<float>(n)) / size;
  return to;
}

template <class Ring>
void run(Ring& ring, const Options& options) {
  if (ring.rank() == 0)
    std::printf("%-18s  L  PCA + SVM        joint, linear    joint, RBF\n", "table");
  for (const std::string& path : options.tables) {
    const parmac::LabelledTable table = parmac::with_labels(parmac::read_csv(path));
    const Index n = options.train > 0 ? options.train : table.X.cols() * 7 / 10;
    for (const Index L : options.dimensions) {
      // The coordinates hardly move at the first penalty; so the first column is plain PCA.
      const std::pair<Index, double> columns[] = {{0, 1e9}, {0, 0.1}, {options.centres, 0.1}};
      std::string line;
      for (const auto& [centres, mu] : columns) {
        double sum = 0, squares = 0;
        for (int split = 0; split < options.splits; ++split) {
          const double a =
              accuracy(ring, shuffled(table, n, options.train == 0, split), n, L, centres, mu);
          sum += a / options.splits;
          squares += a * a / options.splits;
        }
        char cell[40];
        std::snprintf(cell, sizeof cell, "  %.3f (%.3f)  ", sum,
                      std::sqrt(std::max(0.0, squares - sum * sum)));
        line += cell;
      }
      if (ring.rank() == 0)
        std::printf("%-18s %2d%s\n", path.substr(path.rfind('/') + 1).c_str(), static_cast<int>(L),
                    line.c_str());
    }
  }
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Dimension reduction trained jointly with linear SVMs");
  app.add_option("--table", options.tables, "comma-separated tables, the class last");
  app.add_option("--dimensions", options.dimensions, "L");
  app.add_option("--centres", options.centres, "radial basis functions");
  app.add_option("--train", options.train, "learn from the first so many rows; 0: 70%, at random");
  app.add_option("--splits", options.splits, "random ones to average over");
  app.add_option("--threads", options.threads, "machines in this process");
  CLI11_PARSE(app, argc, argv);
  return run_where(argc, argv, options.threads, [&](auto& ring) { run(ring, options); });
}
