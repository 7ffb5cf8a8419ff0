// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parmac/data/partition.hpp"
#include "parmac/models/binary_autoencoder/coordinates.hpp"
#include "parmac/models/binary_autoencoder/start.hpp"
#include "parmac/train/trainer.hpp"

namespace parmac::tests {

/// Points of few directions and some noise, as bytes: N of D features.
inline Points byte_points(RandomStream& random, Index D, Index N) {
  const Index directions = std::max<Index>(1, D / 2);
  Eigen::MatrixXd B(D, directions);
  for (double& b : B.reshaped()) b = random.normal();
  ByteMatrix X(D, N);
  for (Index n = 0; n < N; ++n) {
    Eigen::VectorXd s(directions);
    for (Index k = 0; k < directions; ++k)
      s(k) = random.normal() * 60.0 / static_cast<double>(1 + k);
    const Eigen::VectorXd x = B * s;
    for (Index d = 0; d < D; ++d)
      X(d, n) = static_cast<std::uint8_t>(std::clamp(128 + x(d) + 9 * random.normal(), 0.0, 255.0));
  }
  return Points(std::move(X));
}

/// Normal points of mean 3, N of D features.
inline Points float_points(RandomStream& random, Index D, Index N) {
  Eigen::MatrixXf X(D, N);
  for (float& x : X.reshaped()) x = static_cast<float>(3 + random.normal());
  return Points(std::move(X));
}

/// All points as double, D x N.
inline Eigen::MatrixXd dense(const Points& points) {
  Eigen::MatrixXf X(points.dimension(), points.size());
  points.load(0, X);
  return X.cast<double>();
}

/// All codes as 0 and 1, L x N.
inline Eigen::MatrixXd dense(const PackedCodes& codes) {
  Eigen::MatrixXd Z(codes.bits(), codes.size());
  for (Index n = 0; n < codes.size(); ++n)
    for (Index l = 0; l < codes.bits(); ++l) Z(l, n) = codes.get(n, l) ? 1 : 0;
  return Z;
}

inline void randomise(PackedCodes& codes, RandomStream& random) {
  for (Index n = 0; n < codes.size(); ++n)
    for (Index l = 0; l < codes.bits(); ++l) codes.set(n, l, random.below(2) == 1);
}

/// A model with random layers and scaling.
inline BinaryAutoencoder random_autoencoder(Index D, Index L, RandomStream& random,
                                            BinaryAutoencoderSettings settings = {}) {
  BinaryAutoencoder model(D, L, settings);
  Eigen::VectorXf centre(D);
  for (float& c : centre) c = static_cast<float>(3 + 0.3 * random.normal());
  model.scaling().set(centre, static_cast<float>(0.5 + 2 * random.uniform()));
  for (float& w : model.encoder().reshaped()) w = static_cast<float>(random.normal());
  for (float& a : model.decoder().reshaped()) a = static_cast<float>(random.normal());
  return model;
}

/// The model's formulas in double, point by point, from their definition.
struct Naive {
  Eigen::MatrixXd U;      ///< D x N, scaled
  Eigen::MatrixXd scores; ///< L x N
  Eigen::MatrixXd H;      ///< h(X), 0 and 1
  Eigen::MatrixXd A;      ///< D x L
  Eigen::VectorXd c;
  double closest = 0; ///< The score nearest to 0, relative to the terms of its sum.

  Naive(const BinaryAutoencoder& model, const Points& points) {
    const Index D = model.features();
    const Index L = model.bits();
    U = (dense(points).colwise() - model.scaling().centre().cast<double>()) /
        static_cast<double>(model.scaling().scale());
    const Eigen::MatrixXd W = model.encoder().cast<double>();
    scores = (W.topRows(D).transpose() * U).colwise() + W.row(D).transpose();
    H = scores.unaryExpr([](double s) { return s > 0 ? 1.0 : 0.0; });
    A = model.decoder().cast<double>().topRows(L).transpose();
    c = model.decoder().cast<double>().row(L).transpose();
    const Eigen::MatrixXd terms = (W.topRows(D).cwiseAbs().transpose() * U.cwiseAbs()).colwise() +
                                  W.row(D).cwiseAbs().transpose();
    if (scores.size() > 0)
      closest = (scores.cwiseAbs().array() / (terms.array() + 1e-300)).minCoeff();
  }

  /// |u - A z - c|^2 + mu |z - h|^2 of point n.
  template <class Code>
  double cost(Index n, const Code& z, double mu) const {
    return (U.col(n) - A * z - c).squaredNorm() + mu * (z - H.col(n)).squaredNorm();
  }
  double cost(const Eigen::MatrixXd& Z, double mu) const {
    double sum = 0;
    for (Index n = 0; n < U.cols(); ++n) sum += cost(n, Z.col(n), mu);
    return sum;
  }
  /// How large the numbers are that a point's cost is made of.
  double size(Index n, double mu) const {
    return (U.col(n) - c).squaredNorm() + A.squaredNorm() * static_cast<double>(A.cols()) + mu;
  }
};

/// The bytes of numbers, to compare them to the bit.
template <class Numbers>
std::string bytes_of(const Numbers& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()),
          static_cast<std::size_t>(numbers.size()) * sizeof(*numbers.data())};
}
inline std::string bytes_of(const BinaryAutoencoder& model) {
  const float scale = model.scaling().scale();
  return bytes_of(model.scaling().centre()) + bytes_of(std::span(&scale, 1)) +
         bytes_of(model.encoder()) + bytes_of(model.decoder());
}

/// This machine's even share.
template <class Ring>
Points share_of_machine(const Points& points, const Ring& ring) {
  const Share share = even_share(points.size(), ring.size(), ring.rank());
  return points.slice(share.first, share.count);
}

template <class Ring>
auto summing(Ring& ring) {
  return [&ring](std::span<double> values) { ring.all_sum(values); };
}

/// What a training ends with.
struct Learned {
  std::string model; ///< its bytes
  std::string codes; ///< of this machine's points
  Report report;
};

/// Starts and trains an autoencoder on this machine's share of the points.
template <class Ring>
Learned learn(Ring& ring, const Points& points, Index bits, const FitSettings& fit,
              BinaryAutoencoderSettings settings = {}, BinaryCoordinatesSettings z = {}) {
  BinaryAutoencoder model(points.dimension(), bits, settings);
  BinaryShard shard(share_of_machine(points, ring), bits);
  start(model, shard, summing(ring));
  BinaryCoordinates coordinates(z);
  Trainer trainer{model, coordinates, ring};
  Learned learned;
  learned.report = trainer.fit(shard, fit);
  learned.model = bytes_of(model);
  learned.codes = bytes_of(shard.Z.bytes());
  return learned;
}

} // namespace parmac::tests
