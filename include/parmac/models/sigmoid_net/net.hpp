// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/data/points.hpp"
#include "parmac/solvers/activation.hpp"
#include "parmac/solvers/least_squares.hpp"
#include "parmac/solvers/sgd.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// What the last layer of a net is.
enum class NetOutput {
  linear, ///< Squared error, 1/2 |y - W'z - b|^2.
  softmax ///< Cross-entropy of classes.
};

/// How units learn in the W step.
enum class NetFit {
  least_squares, ///< From statistics that ride the ring once; see `SigmoidNet`.
  sgd            ///< By stochastic gradient descent.
};

/// One machine's points, what the net shall say of them, and the coordinates of the hidden layers.
struct NetShard {
  /// A net that reproduces its points, as an autoencoder does.
  explicit NetShard(Points x) : points(x), targets(std::move(x)) {}
  /// A net that says `y`. @throws ShapeError unless there are as many.
  NetShard(Points x, Points y) : points(std::move(x)), targets(std::move(y)) {
    require<ShapeError>(targets.size() == points.size(), "there are ", points.size(),
                        " points and ", targets.size(), " targets");
  }
  /// A net that says classes. @throws ShapeError unless there is a label for every point.
  NetShard(Points x, std::vector<std::uint8_t> classes)
      : points(x), targets(std::move(x)), labels(std::move(classes)) {
    require<ShapeError>(static_cast<Index>(labels.size()) == points.size(), "there are ",
                        points.size(), " points and ", labels.size(), " labels");
  }

  [[nodiscard]] Index size() const { return points.size(); }

  Points points;  ///< X, D x N_p
  Points targets; ///< Y, as many
  std::vector<std::uint8_t> labels;
  std::vector<Eigen::MatrixXf> Z; ///< of hidden layer k: H_k x N_p
  std::vector<Eigen::MatrixXf> U; ///< multipliers over mu, where there are any: as Z
};

/// Settings of a net.
struct NetSettings {
  Activation hidden = Activation::sigmoid;
  NetOutput output = NetOutput::linear;
  float scale = 1;                    ///< Points and targets are multiplied by it, such as 1/255.
  double lambda = 1e-6;               ///< Weight decay, >= 0.
  double step_factor = 1;             ///< Step sizes as a multiple of what curvature allows, > 0.
  NetFit fit = NetFit::least_squares; ///< Of all layers but a softmax, which learns by SGD.
  Index minibatch = 100;
  Index chunk = 4096;

  /// @throws ConfigError
  void validate() const {
    require(scale > 0 && std::isfinite(scale), "the scale is ", scale, "; it must be positive");
    require(lambda >= 0 && std::isfinite(lambda), "lambda is ", lambda,
            "; it must be finite and not negative");
    require(step_factor > 0 && std::isfinite(step_factor), "step_factor is ", step_factor,
            "; it must be positive");
    require(minibatch >= 1 && chunk >= 1, "minibatches of ", minibatch, " points in chunks of ",
            chunk, "; both must be at least 1");
  }
};

/// A feed-forward net with K hidden layers: z_k = a(W_k'z_{k-1} + b_k), z_0 = x, and an output
/// layer. Submodels are the units, layer by layer, each layer a kind; a softmax output is one
/// submodel, as its units share a sum. Hidden layers learn by SGD on the squared error to their
/// coordinates. Models Submodels. Source: Carreira-Perpinan and Wang, "Distributed optimization of
/// deeply nested systems" (AISTATS 2014).
class SigmoidNet {
public:
  using shard_type = NetShard;

  /// Zeros. @param widths D, H_1 .. H_K, outputs. @throws ConfigError
  explicit SigmoidNet(std::vector<Index> widths, NetSettings settings = {}) : settings_(settings) {
    require(widths.size() >= 3, "a net needs points, at least one hidden layer and outputs; ",
            widths.size(), " widths were given");
    for (const Index width : widths) require(width >= 1, "a layer of ", width, " units");
    require(settings.output != NetOutput::softmax || widths.back() <= 256, widths.back(),
            " classes; labels are bytes");
    settings.validate();
    for (std::size_t k = 1; k < widths.size(); ++k)
      weights_.push_back(Eigen::MatrixXf::Zero(widths[k - 1] + 1, widths[k]));
    steps_.assign(weights_.size(), 0.1);
  }

  [[nodiscard]] Index features() const { return weights_.front().rows() - 1; } ///< D
  [[nodiscard]] Index outputs() const { return weights_.back().cols(); }
  [[nodiscard]] std::size_t hidden_layers() const { return weights_.size() - 1; } ///< K
  [[nodiscard]] const NetSettings& settings() const { return settings_; }
  /// Of layer k = 0 .. K: (H_{k-1} + 1) x H_k, a unit a column, its bias last.
  [[nodiscard]] const Eigen::MatrixXf& weights(std::size_t k) const { return weights_[k]; }
  [[nodiscard]] Eigen::MatrixXf& weights(std::size_t k) { return weights_[k]; }
  /// First step size of each layer.
  [[nodiscard]] std::vector<double>& steps() { return steps_; }
  [[nodiscard]] Activation activation(std::size_t k) const {
    return k < hidden_layers() ? settings_.hidden : Activation::linear;
  }

  /// Layer k of inputs (H_{k-1} x B): H_k x B. Column j depends on column j alone, bit for bit. The
  /// output layer gives scores; of a softmax they are not yet probabilities.
  void layer(std::size_t k, const Eigen::MatrixXf& inputs, Eigen::MatrixXf& outputs) const {
    const Eigen::MatrixXf& W = weights_[k];
    outputs.resize(W.cols(), inputs.cols());
    inner_products(W.topRows(W.rows() - 1), inputs, outputs);
    outputs.colwise() += W.row(W.rows() - 1).transpose();
    activate(activation(k), outputs);
  }

  /// What the net says of points X (D x B, scaled): outputs x B.
  [[nodiscard]] Eigen::MatrixXf operator()(Eigen::MatrixXf X) const {
    Eigen::MatrixXf next;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      layer(k, X, next);
      X.swap(next);
    }
    return X;
  }

  /// Points first .. as the net sees them, D x B.
  void load(const Points& points, Index first, Eigen::MatrixXf& X) const {
    points.load(first, X);
    X *= settings_.scale;
  }
  /// What the net shall say of points first .. first + B - 1: outputs x B.
  void load_targets(const NetShard& shard, Index first, Index B, Eigen::MatrixXf& Y) const {
    if (settings_.output == NetOutput::softmax) {
      Y.setZero(outputs(), B);
      for (Index j = 0; j < B; ++j) Y(label(shard, first + j), j) = 1;
    } else {
      Y.resize(outputs(), B);
      load(shard.targets, first, Y);
    }
  }

  /// @throws ShapeError unless points, targets and coordinates fit the net. @throws DataError for a
  /// class that is none.
  void require_matching(const NetShard& shard) const {
    require<ShapeError>(shard.points.dimension() == features(), shard.points.source(),
                        " has points of ", shard.points.dimension(), " features; the net has ",
                        features());
    const bool classes = settings_.output == NetOutput::softmax;
    require<ShapeError>(!classes || static_cast<Index>(shard.labels.size()) == shard.size(),
                        "the net says classes, but there are ", shard.labels.size(), " labels for ",
                        shard.size(), " points");
    require<ShapeError>(classes || shard.targets.dimension() == outputs(), "targets of ",
                        shard.targets.dimension(), " numbers for a net of ", outputs(), " outputs");
    bool fits = shard.Z.size() == hidden_layers();
    for (std::size_t k = 0; fits && k < shard.Z.size(); ++k)
      fits = shard.Z[k].rows() == weights_[k].cols() && shard.Z[k].cols() == shard.size() &&
             (shard.U.empty() ||
              (shard.U.size() == shard.Z.size() && shard.U[k].rows() == shard.Z[k].rows() &&
               shard.U[k].cols() == shard.Z[k].cols()));
    require<ShapeError>(fits, "the coordinates do not fit the net's ", hidden_layers(),
                        " hidden layers and ", shard.size(), " points; `start` makes them");
  }

  // As Submodels asks for.
  [[nodiscard]] std::size_t size() const { return kinds().back().last; }
  [[nodiscard]] std::vector<SubmodelRange> kinds() const {
    std::vector<SubmodelRange> kinds;
    std::size_t first = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      const auto units = softmax(k) ? 1 : static_cast<std::size_t>(weights_[k].cols());
      kinds.push_back({first, first + units});
      first += units;
    }
    return kinds;
  }
  [[nodiscard]] SubmodelRange output_layer() const { return kinds().back(); }
  [[nodiscard]] double cost(SubmodelRange range) const {
    const Place at = place(range);
    return static_cast<double>(at.count * weights_[at.layer].rows());
  }
  [[nodiscard]] int epochs(SubmodelRange range, int asked) const {
    return exact(place(range).layer) ? 1 : asked;
  }
  [[nodiscard]] std::span<float> parameters(SubmodelRange range) {
    const Place at = place(range);
    Eigen::MatrixXf& W = weights_[at.layer];
    return {W.data() + at.first * W.rows(), static_cast<std::size_t>(at.count * W.rows())};
  }
  [[nodiscard]] std::span<double> statistics(SubmodelRange range) {
    const Place at = place(range);
    if (!exact(at.layer)) return {};
    std::vector<double>& sums = statistics_[{range.first, range.last}];
    sums.resize(
        static_cast<std::size_t>(LeastSquares::size(weights_[at.layer].rows() - 1, at.count)));
    return sums;
  }

  /// One pass over the shard. @throws ShapeError, NumericalError
  void train(SubmodelRange range, const NetShard& shard, const Visit& visit) {
    require_matching(shard);
    const Place at = place(range);
    if (exact(at.layer))
      gather(range, at, shard, visit);
    else
      descend(at, shard, visit);
  }

  /// Solves for a layer that learns by least squares.
  void finish(SubmodelRange range) {
    const Place at = place(range);
    if (!exact(at.layer)) return;
    Eigen::MatrixXf& W = weights_[at.layer];
    // As for the other layers, lambda stands beside the mean over the points.
    const LeastSquares sums(statistics(range), W.rows() - 1, at.count);
    const LinearMap map = sums.solve(settings_.lambda * sums.count());
    W.middleCols(at.first, at.count).topRows(W.rows() - 1) = map.A.transpose().cast<float>();
    W.middleCols(at.first, at.count).row(W.rows() - 1) = map.c.transpose().cast<float>();
  }

private:
  struct Place {
    std::size_t layer;
    Index first; // units of the layer
    Index count;
  };
  static constexpr Index block_points = 1024;

  [[nodiscard]] bool softmax(std::size_t k) const {
    return k == hidden_layers() && settings_.output == NetOutput::softmax;
  }
  [[nodiscard]] bool exact(std::size_t k) const {
    return settings_.fit == NetFit::least_squares && !softmax(k);
  }
  [[nodiscard]] Place place(SubmodelRange range) const {
    Place at{0, static_cast<Index>(range.first), static_cast<Index>(range.size())};
    for (; !softmax(at.layer) && at.first >= weights_[at.layer].cols(); ++at.layer)
      at.first -= weights_[at.layer].cols();
    if (softmax(at.layer)) return {at.layer, 0, weights_[at.layer].cols()};
    return at;
  }
  [[nodiscard]] Index label(const NetShard& shard, Index n) const {
    const Index label = shard.labels[static_cast<std::size_t>(n)];
    require<DataError>(label < outputs(), "point ", n, " of ", shard.points.source(), " has class ",
                       label, "; the net tells ", outputs());
    return label;
  }

  void descend(const Place& at, const NetShard& shard, const Visit& visit) {
    const std::size_t k = at.layer;
    const bool last = k == hidden_layers();
    Eigen::MatrixXf one;
    const auto fill = [&](std::span<const Index> which, Eigen::MatrixXf& X, Eigen::MatrixXf& Y) {
      visit.progress();
      if (k == 0) {
        shard.points.gather(which, X);
        X *= settings_.scale;
      }
      for (std::size_t i = 0; i < which.size(); ++i) {
        const auto j = static_cast<Index>(i);
        if (k > 0) X.col(j) = shard.Z[k - 1].col(which[i]);
        if (!last) {
          Y.row(j) = shard.Z[k].col(which[i]).segment(at.first, at.count).transpose();
          if (!shard.U.empty())
            Y.row(j) += shard.U[k].col(which[i]).segment(at.first, at.count).transpose();
        } else {
          load_targets(shard, which[i], 1, one);
          Y.row(j) = one.col(0).segment(at.first, at.count).transpose();
        }
      }
    };
    RandomStream stream = visit.stream(k);
    const StepSchedule schedule = step_schedule(steps_[k], visit, settings_.minibatch);
    const MinibatchSettings minibatches{settings_.minibatch, settings_.chunk};
    auto W = weights_[k].middleCols(at.first, at.count);
    if (softmax(k))
      train_pass(SoftmaxUpdate{settings_.lambda}, W, schedule, shard.size(), minibatches, stream,
                 fill);
    else
      train_pass(ActivationUpdate{activation(k), settings_.lambda}, W, schedule, shard.size(),
                 minibatches, stream, fill);
  }

  void gather(SubmodelRange range, const Place& at, const NetShard& shard, const Visit& visit) {
    LeastSquares sums(statistics(range), weights_[at.layer].rows() - 1, at.count);
    if (visit.first()) sums.clear();
    const std::size_t k = at.layer;
    const double slope_squared = steepest(activation(k)) * steepest(activation(k));
    const auto W = weights_[k].middleCols(at.first, at.count);
    Eigen::MatrixXf in;
    Eigen::MatrixXf T;
    for (Index first = 0; first < shard.size(); first += block_points) {
      visit.progress();
      const Index B = std::min(block_points, shard.size() - first);
      if (k == 0) {
        in.resize(features(), B);
        load(shard.points, first, in);
      } else {
        in = shard.Z[k - 1].middleCols(first, B);
      }
      if (k < hidden_layers()) {
        T = shard.Z[k].block(at.first, first, at.count, B);
        if (!shard.U.empty()) T += shard.U[k].block(at.first, first, at.count, B);
      } else {
        load_targets(shard, first, B, T);
        T = T.middleRows(at.first, at.count).eval();
      }
      if (activation(k) != Activation::linear) {
        const Eigen::MatrixXf S = detail::linear_scores(W, in).transpose();
        Eigen::MatrixXf A = S;
        activate(activation(k), A);
        for (Index j = 0; j < B; ++j)
          for (Index i = 0; i < at.count; ++i)
            T(i, j) = S(i, j) + (T(i, j) - A(i, j)) * slope(activation(k), A(i, j)) /
                                    static_cast<float>(slope_squared);
      }
      sums.accumulate(in.cast<double>(), T.cast<double>());
    }
  }

  NetSettings settings_;
  std::vector<Eigen::MatrixXf> weights_;
  std::vector<double> steps_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> statistics_; // by range
};
static_assert(Submodels<SigmoidNet> && FlatSubmodels<SigmoidNet>);

} // namespace parmac
