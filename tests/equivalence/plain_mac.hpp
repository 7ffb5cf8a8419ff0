// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <span>

#include "autoencoders.hpp"
#include "parmac/solvers/hinge.hpp"
#include "parmac/solvers/least_squares.hpp"
#include "parmac/solvers/minibatches.hpp"

namespace parmac::tests {

/// The method of auxiliary coordinates for the binary autoencoder as one plain loop on one machine:
/// no ring, no trainer, no packed codes, a bit of the encoder at a time, all points of the decoder
/// at once, and codes by trying all of them.
struct PlainMac {
  Eigen::MatrixXf X; ///< D x N
  Eigen::VectorXf centre;
  float scale;
  Eigen::MatrixXf W; ///< (D + 1) x L
  Eigen::MatrixXf A; ///< (L + 1) x D
  Eigen::MatrixXd Z; ///< L x N
  double lambda, eta0;
  MinibatchSettings minibatches;
  std::uint64_t seed;
  int epochs;
  double objective = 0;
  int iterations = 0;

  PlainMac(const BinaryAutoencoder& start, const BinaryShard& shard, const FitSettings& fit)
      : X(dense(shard.points).cast<float>()),
        centre(start.scaling().centre()),
        scale(start.scaling().scale()),
        W(start.encoder()),
        A(start.decoder()),
        Z(dense(shard.Z)),
        lambda(start.settings().lambda),
        eta0(start.settings().encoder_step),
        minibatches{start.settings().minibatch, start.settings().chunk},
        seed(fit.seed),
        epochs(fit.epochs) {}

  void run(const FitSettings& fit) {
    bool everywhere = false;
    for (iterations = 0; iterations < fit.max_iterations && !everywhere; ++iterations) {
      train_encoder(iterations);
      train_decoder();
      everywhere = train_codes(fit.penalty(iterations));
    }
    if (!everywhere) {
      train_encoder(iterations);
      train_decoder();
    }
    Z = codes();
    train_decoder();
  }

  [[nodiscard]] Eigen::MatrixXf scaled() const { return (X.colwise() - centre) * (1.0F / scale); }

  [[nodiscard]] Eigen::MatrixXd codes() const {
    const Index D = X.rows();
    const Eigen::MatrixXd scores =
        (W.topRows(D).cast<double>().transpose() * scaled().cast<double>()).colwise() +
        W.row(D).cast<double>().transpose();
    return (scores.array() > 0).cast<double>();
  }

  void train_encoder(int iteration) {
    const Eigen::MatrixXf U = scaled();
    const Index N = X.cols();
    for (Index l = 0; l < W.cols(); ++l)
      for (int epoch = 0; epoch < epochs; ++epoch) {
        RandomStream stream(seed, static_cast<std::uint64_t>(iteration),
                            static_cast<std::uint64_t>(epoch), 0, 0);
        Index t = N * (iteration * epochs + epoch) / minibatches.size;
        for_each_minibatch(N, minibatches, stream, [&](std::span<const Index> which) {
          Eigen::MatrixXf inputs(X.rows(), static_cast<Index>(which.size()));
          Eigen::MatrixXf signs(static_cast<Index>(which.size()), 1);
          for (Index j = 0; j < inputs.cols(); ++j) {
            inputs.col(j) = U.col(which[static_cast<std::size_t>(j)]);
            signs(j) = Z(l, which[static_cast<std::size_t>(j)]) > 0 ? 1.0F : -1.0F;
          }
          const double eta = eta0 / (1 + lambda * eta0 * static_cast<double>(t++));
          HingeUpdate{.lambda = lambda}.step(W.col(l), inputs, signs, static_cast<float>(eta));
        });
      }
  }

  void train_decoder() {
    const Index L = Z.rows();
    const Index D = X.rows();
    std::vector<double> memory(static_cast<std::size_t>(LeastSquares::size(L, D)), 0.0);
    LeastSquares sums(memory, L, D);
    sums.accumulate(Z, X.cast<double>());
    const LinearMap map = sums.solve();
    const double shrink = 1.0 / static_cast<double>(scale);
    A.topRows(L) = (map.A.transpose() * shrink).cast<float>();
    A.row(L) = ((map.c - centre.cast<double>()) * shrink).cast<float>().transpose();
  }

  /// True when all codes are what the encoder says.
  bool train_codes(double mu) {
    const Index L = Z.rows();
    const Eigen::MatrixXd H = codes();
    const Eigen::MatrixXd R = (scaled().colwise() - A.row(L).transpose()).cast<double>(); // u - c
    const Eigen::MatrixXd B = A.topRows(L).cast<double>().transpose();
    objective = 0;
    for (Index n = 0; n < X.cols(); ++n) {
      double best = std::numeric_limits<double>::infinity();
      for (std::uint64_t code = 0; code < std::uint64_t{1} << L; ++code) {
        Eigen::VectorXd z(L);
        for (Index l = 0; l < L; ++l) z(l) = static_cast<double>(code >> l & 1);
        const double cost = (R.col(n) - B * z).squaredNorm() + mu * (z - H.col(n)).squaredNorm();
        if (cost < best) {
          best = cost;
          Z.col(n) = z;
        }
      }
      objective += best;
    }
    return Z == H;
  }
};

} // namespace parmac::tests
