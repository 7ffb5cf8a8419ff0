// SPDX-License-Identifier: BSL-1.0
//
// Autoencoders of radial-basis-function networks against principal components: the share of the
// variance of learning and of test points that L dimensions leave unexplained. Run it as
//     rbf_autoencoder     rbf_autoencoder --threads 4     mpirun -n 4 rbf_autoencoder
// and on MNIST with --learn and --test (idx files, also with .gz). It printed, alone:
//     L = 1  learning points: components 0.853, RBF 0.767   test points: 0.852, 0.799
//     L = 2  learning points: components 0.718, RBF 0.551   test points: 0.712, 0.611
//     L = 4  learning points: components 0.512, RBF 0.350   test points: 0.522, 0.400

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "parmac/data/gzip.hpp"
#include "parmac/models/rbf_autoencoder.hpp"
#include "parmac/mpi.hpp"
#include "where.hpp"

using parmac::Index;

struct Options {
  std::string learn = PARMAC_EXAMPLE_DATA "/digits_learn_images.idx";
  std::string test = PARMAC_EXAMPLE_DATA "/digits_test_images.idx";
  std::vector<Index> dimensions = {1, 2, 4};
  Index encoder_centres = 200, decoder_centres = 50;
  int threads = 1, iterations = 25;
  double mu = 1e-3, factor = 1.3;
};

template <class Ring>
void run(Ring& ring, const Options& options) {
  const Index N = parmac::describe(options.learn, parmac::gunzip).points;
  const parmac::Share share = parmac::even_share(N, ring.size(), ring.rank());
  const parmac::Points points =
      parmac::open_points(options.learn, {.share = share, .inflate = parmac::gunzip});
  const parmac::Points test = parmac::open_points(options.test, {.inflate = parmac::gunzip});
  const auto sum = [&](std::span<double> values) { ring.all_sum(values); };
  const parmac::detail::Moments moments = parmac::detail::moments(points, sum);
  const auto all = static_cast<double>(test.size());
  for (const Index L : options.dimensions) {
    parmac::RbfAutoencoder model(points.dimension(), L, options.encoder_centres,
                                 options.decoder_centres);
    parmac::RbfShard shard(points, L);
    parmac::start(model, shard, share.first, sum);
    parmac::RbfCoordinates coordinates;
    const auto report = parmac::Trainer{model, coordinates, ring}.fit(
        shard, {.penalty = parmac::GeometricPenalty{options.mu, options.factor},
                .max_iterations = options.iterations});
    if (ring.rank() != 0) continue;
    parmac::RbfShard unseen(test, L);
    const double rbf = coordinates.project(model, unseen).nested / all;
    // The same of principal components, in the same scale.
    const Eigen::MatrixXd V = parmac::detail::leading_components(moments.covariance, L);
    const double variance = moments.covariance.trace();
    Eigen::MatrixXf X(test.dimension(), test.size());
    test.load(0, X);
    const Eigen::MatrixXd U = X.cast<double>().colwise() - moments.mean;
    const double rest = (U - V * (V.transpose() * U)).squaredNorm() / variance / all;
    const double learnt = 1 - (V.transpose() * moments.covariance * V).trace() / variance;
    std::printf("L = %d  learning points: components %.3f, RBF %.3f   test points: %.3f, %.3f\n",
                static_cast<int>(L), learnt, report.final_nested / static_cast<double>(N), rest,
                rbf);
  }
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("RBF autoencoders against principal components");
  app.add_option("--learn", options.learn, "points to learn from");
  app.add_option("--test", options.test, "other points");
  app.add_option("--dimensions", options.dimensions, "L");
  app.add_option("--encoder-centres", options.encoder_centres, "among the points");
  app.add_option("--decoder-centres", options.decoder_centres, "among the coordinates");
  app.add_option("--iterations", options.iterations, "at most");
  app.add_option("--mu", options.mu, "first penalty");
  app.add_option("--factor", options.factor, "by which it grows");
  app.add_option("--threads", options.threads, "machines in this process");
  CLI11_PARSE(app, argc, argv);
  return run_where(argc, argv, options.threads, [&](auto& ring) { run(ring, options); });
}
