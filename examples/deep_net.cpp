// SPDX-License-Identifier: BSL-1.0
//
// Deep nets by auxiliary coordinates, beside plain backpropagation at equal passes over the data:
// an autoencoder, or with --classify a classifier. An iteration of MAC is two passes, one for the W
// and one for the Z step, and its final fit is two more. Backpropagation works on rank 0 alone. Run
// it as
//     deep_net     deep_net --threads 4     mpirun -n 4 deep_net --classify
// and on MNIST with --learn, --labels, --test and --test-labels. It printed, alone:
//     MAC                           32 passes  loss 0.7541, of test points 0.8112
//     MAC, then backpropagation     60 passes  loss 0.6886, of test points 0.7454
//     backpropagation, step 0.020   60 passes  loss 0.7581, of test points 0.7958
//     backpropagation, step 0.050   60 passes  loss 0.7089, of test points 0.7638
//     backpropagation, step 0.100   60 passes  loss 5.1130, of test points 5.1367
//     backpropagation, step 0.200 diverges

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "parmac/data/gzip.hpp"
#include "parmac/models/sigmoid_net.hpp"
#include "parmac/mpi.hpp"
#include "where.hpp"

using parmac::Index;

struct Options {
  std::string data = PARMAC_EXAMPLE_DATA "/digits_";
  std::string learn = data + "learn_images.idx", labels = data + "learn_labels.idx";
  std::string test = data + "test_images.idx", test_labels = data + "test_labels.idx";
  std::vector<Index> hidden = {32, 8, 32};
  bool classify = false, penalty = false;
  int threads = 1, iterations = 15, passes = 60;
  double mu = 1, factor = 1.2, lambda = 1e-4;
  std::vector<double> steps = {0.02, 0.05, 0.1, 0.2}; // tried for backpropagation
  double tune_step = 0.005;
};

parmac::NetShard open(const std::string& images, const std::string& labels, const Options& options,
                      Index part, Index parts) {
  const parmac::OpenOptions mine{.part = part, .parts = parts, .inflate = parmac::gunzip};
  const parmac::Points points = parmac::open_points(images, mine);
  return options.classify ? parmac::NetShard(points, parmac::read_labels(labels, mine))
                          : parmac::NetShard(points);
}

template <class Ring>
void run(Ring& ring, const Options& options) {
  parmac::NetShard shard = open(options.learn, options.labels, options, ring.rank(), ring.size());
  std::vector<Index> widths{shard.points.dimension()};
  widths.insert(widths.end(), options.hidden.begin(), options.hidden.end());
  widths.push_back(options.classify ? 10 : shard.points.dimension());
  const parmac::NetSettings settings{.hidden = parmac::Activation::tanh,
                                     .output = options.classify ? parmac::NetOutput::softmax
                                                                : parmac::NetOutput::linear,
                                     .scale = 1 / 255.0F,
                                     .lambda = options.lambda};
  const auto sum = [&](std::span<double> values) { ring.all_sum(values); };
  parmac::SigmoidNet start_net(widths, settings);
  parmac::start(start_net, shard, sum);

  parmac::SigmoidNet net = start_net;
  parmac::NetCoordinates coordinates({.steps = 3, .augmented = !options.penalty});
  const auto report = parmac::Trainer{net, coordinates, ring}.fit(
      shard, {.penalty = parmac::GeometricPenalty{options.mu, options.factor},
              .max_iterations = options.iterations});
  if (ring.rank() != 0) return;

  const parmac::NetShard all = open(options.learn, options.labels, options, 0, 1);
  const parmac::NetShard test = open(options.test, options.test_labels, options, 0, 1);
  const auto say = [&](const char* name, int passes, const parmac::SigmoidNet& model) {
    const parmac::NetQuality learnt = parmac::measure(model, all);
    const parmac::NetQuality unseen = parmac::measure(model, test);
    std::printf("%-28s %3d passes  loss %.4f, of test points %.4f", name, passes, learnt.loss,
                unseen.loss);
    std::printf(options.classify ? ", test accuracy %.4f\n" : "\n", unseen.accuracy);
  };
  const int spent = 2 * static_cast<int>(report.iterations.size()) + 2;
  say("MAC", spent, net);
  parmac::fine_tune(net, all, {.epochs = options.passes - spent, .step = options.tune_step});
  say("MAC, then backpropagation", options.passes, net);
  for (const double step : options.steps) {
    parmac::SigmoidNet plain = start_net;
    try {
      parmac::fine_tune(plain, all, {.epochs = options.passes, .step = step});
      say(("backpropagation, step " + std::to_string(step).substr(0, 5)).c_str(), options.passes,
          plain);
    } catch (const parmac::NumericalError&) {
      std::printf("backpropagation, step %.3f diverges\n", step);
    }
  }
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Deep nets by auxiliary coordinates, beside backpropagation");
  app.add_option("--learn", options.learn, "images to learn from");
  app.add_option("--labels", options.labels, "their classes");
  app.add_option("--test", options.test, "other images");
  app.add_option("--test-labels", options.test_labels, "their classes");
  app.add_option("--hidden", options.hidden, "widths of the hidden layers");
  app.add_flag("--classify", options.classify, "a classifier, not an autoencoder");
  app.add_flag("--penalty", options.penalty, "quadratic penalty, not augmented Lagrangian");
  app.add_option("--iterations", options.iterations, "of MAC");
  app.add_option("--passes", options.passes, "over the data, all in all");
  app.add_option("--mu", options.mu, "first penalty");
  app.add_option("--factor", options.factor, "by which it grows");
  app.add_option("--lambda", options.lambda, "weight decay");
  app.add_option("--tune-step", options.tune_step, "step size of backpropagation after MAC");
  app.add_option("--threads", options.threads, "machines in this process");
  CLI11_PARSE(app, argc, argv);
  return run_where(argc, argv, options.threads, [&](auto& ring) { run(ring, options); });
}
