// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "parmac/models/binary_autoencoder/model.hpp"
#include "parmac/solvers/step_size.hpp"
#include "parmac/support/check.hpp"

namespace parmac {

/// Where the training begins.
enum class BinaryStart {
  pca, ///< The signs of the L leading principal components (tPCA).
  itq  ///< The same after the rotation that brings them closest to their signs (ITQ).
};

/// Settings of the start.
struct BinaryStartSettings {
  BinaryStart kind = BinaryStart::pca;
  int itq_iterations = 50;
  Index itq_points = 32768; ///< Points of all machines together that the rotation is found on.
  Index sample = 1000;      ///< Points of each machine that the step sizes are found on.
};

namespace detail {

/// Mean and covariance of the points of all machines.
struct Moments {
  double count = 0;
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

template <class AllSum>
Moments moments(const Points& points, AllSum&& all_sum) {
  const Index D = points.dimension();
  // Sums of whole numbers are exact in double, so bytes give the same moments on any number of
  // machines; over a few points they are exact in float, too. Laid out as (x,1)(x,1)'.
  constexpr Index block = 256;
  static_assert(block * 255 * 255 < (1 << 24));
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(D + 1, D + 1);
  Eigen::MatrixXf lifted;
  for (Index first = 0; first < points.size(); first += block) {
    lifted.setOnes(D + 1, std::min(block, points.size() - first));
    points.load(first, lifted.topRows(D));
    if (points.scalar() == Scalar::uint8)
      sums += Eigen::MatrixXf(lifted * lifted.transpose()).cast<double>();
    else
      sums.selfadjointView<Eigen::Lower>().rankUpdate(lifted.cast<double>().eval());
  }
  all_sum(std::span<double>(sums.data(), static_cast<std::size_t>(sums.size())));
  Moments found;
  found.count = sums(D, D);
  require<DataError>(found.count > 0, "there are no points to start from");
  found.mean = sums.row(D).head(D).transpose() / found.count;
  found.covariance = sums.topLeftCorner(D, D).selfadjointView<Eigen::Lower>();
  found.covariance = found.covariance / found.count - found.mean * found.mean.transpose();
  require<NumericalError>(found.covariance.allFinite(),
                          "the covariance of the points is not finite; are the points?");
  return found;
}

/// The L leading eigenvectors of a covariance, D x L, the first first.
[[nodiscard]] inline Eigen::MatrixXd leading_components(const Eigen::MatrixXd& covariance,
                                                        Index L) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  require<NumericalError>(eigen.info() == Eigen::Success,
                          "the principal components of the points cannot be computed");
  Eigen::MatrixXd V = eigen.eigenvectors().rightCols(L).rowwise().reverse();
  for (auto v : V.colwise()) { // the sign of a component is free: its largest entry is positive
    Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    if (v(largest) < 0) v = -v;
  }
  return V;
}

/// The orthogonal matrix R that maximises trace(R'C): C (C'C)^(-1/2), its polar factor. Directions
/// in which C vanishes are left where they are.
[[nodiscard]] inline Eigen::MatrixXd nearest_rotation(const Eigen::MatrixXd& C) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(C.transpose() * C);
  const double flat = 1e-14 * std::max(eigen.eigenvalues().maxCoeff(), 1e-300);
  const Eigen::VectorXd inverse_root = eigen.eigenvalues().unaryExpr(
      [flat](double value) { return value > flat ? 1 / std::sqrt(value) : 0.0; });
  const Eigen::MatrixXd& V = eigen.eigenvectors();
  const Eigen::MatrixXd turned =
      C * V * inverse_root.asDiagonal(); // U of C = U S V', but for flat ones
  // Householder completes the columns that are missing, and removes what rounding left.
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(turned.rowwise().reverse());
  Eigen::MatrixXd U = qr.householderQ() * Eigen::MatrixXd::Identity(C.rows(), C.cols());
  for (Index l = 0; l < U.cols(); ++l)
    if (qr.matrixQR()(l, l) < 0) U.col(l) = -U.col(l);
  return U.rowwise().reverse() * V.transpose();
}

/// The rotation R (L x L) that brings V'R closest to its signs, V being the principal components of
/// a sample of points, L x n. Source: Gong and Lazebnik, "Iterative quantization" (CVPR 2011).
template <class AllSum>
Eigen::MatrixXf itq_rotation(const Eigen::MatrixXf& V, int iterations, AllSum&& all_sum) {
  const Index L = V.rows();
  // Start: any rotation, the same on all machines and in all runs.
  RandomStream random(0, 0x697471);
  Eigen::MatrixXd C(L, L);
  for (double& c : C.reshaped()) c = random.normal();
  Eigen::MatrixXf R = nearest_rotation(C).cast<float>();
  Eigen::MatrixXf B;
  for (int i = 0; i < iterations; ++i) {
    C.setZero();
    for (Index first = 0; first < V.cols(); first += Scaling::block_points) {
      const auto block = V.middleCols(first, std::min(Scaling::block_points, V.cols() - first));
      B.noalias() = R.transpose() * block;
      B = B.unaryExpr([](float s) { return s > 0 ? 1.0F : -1.0F; });
      C += (block * B.transpose()).cast<double>();
    }
    all_sum(std::span<double>(C.data(), static_cast<std::size_t>(C.size())));
    R = nearest_rotation(C).cast<float>();
  }
  return R;
}

} // namespace detail

/// Sets the step sizes that are 0, by Bottou's procedure on the first `sample` points of every
/// machine, to the geometric mean of what the machines find. @throws NumericalError
template <class AllSum>
void find_step_sizes(BinaryAutoencoder& model, const BinaryShard& shard, AllSum&& all_sum,
                     Index sample = 1000) {
  const Index n = std::min(sample, shard.size());
  Eigen::MatrixXf U(model.features(), n);
  model.scaling().load(shard.points, 0, U);
  Eigen::MatrixXf Z(model.bits(), n);
  for (Index j = 0; j < n; ++j)
    for (Index l = 0; l < model.bits(); ++l) Z(l, j) = shard.Z.get(j, l) ? 1.0F : 0.0F;

  BinaryAutoencoderSettings& settings = model.settings();
  double sums[3] = {0, 0, 0};
  if (n > 0) {
    const StepSizeSettings trial{.minibatch = settings.minibatch};
    const Eigen::MatrixXf signs = (2.0F * Z.array() - 1.0F).transpose();
    sums[0] = 1;
    sums[1] = std::log(
        find_step_size(HingeUpdate{.lambda = settings.lambda}, model.encoder(), U, signs, trial));
    if (settings.decoder == DecoderFit::sgd)
      sums[2] = std::log(find_step_size(SquaredErrorUpdate{.lambda = settings.lambda},
                                        model.decoder(), Z, U.transpose(), trial));
  }
  all_sum(std::span<double>(sums));
  require<DataError>(sums[0] > 0, "there are no points to find step sizes on");
  if (settings.encoder_step == 0) settings.encoder_step = std::exp(sums[1] / sums[0]);
  if (settings.decoder_step == 0) settings.decoder_step = std::exp(sums[2] / sums[0]);
}

/// Starts a binary autoencoder from the points of all machines: the scaling (centre at the mean,
/// total variance 1), an encoder that gives tPCA or ITQ codes, Z = h(X), and, where they are not
/// set, the step sizes by Bottou's procedure on a sample (the geometric mean over the machines).
/// Every machine calls it with its own shard; `all_sum(std::span<double>)` adds up over all
/// machines (`ring.all_sum`), so that the start is the same for every number of machines: bit for
/// bit for byte data and tPCA, to rounding otherwise. O(N D^2) and O(D^3).
/// @throws ConfigError when L > D, for which there are not enough principal components;
/// DataError when no machine has points; NumericalError when points are not finite.
template <class AllSum>
void start(BinaryAutoencoder& model, BinaryShard& shard, AllSum&& all_sum,
           const BinaryStartSettings& settings = {}) {
  const Index D = model.features();
  const Index L = model.bits();
  require(L <= D, "codes of ", L, " bits cannot start from the principal components of points of ",
          D, " features; there are only as many components as features");
  require(settings.itq_iterations >= 0 && settings.sample >= 1 && settings.itq_points >= 1,
          "itq_iterations, itq_points and sample are ", settings.itq_iterations, ", ",
          settings.itq_points, " and ", settings.sample,
          "; they must not be negative, or 0 points");
  model.scaling().require_dimension(shard.points);

  const detail::Moments moments = detail::moments(shard.points, all_sum);
  const double variance = moments.covariance.trace();
  model.scaling().set(moments.mean.cast<float>(),
                      variance > 0 ? static_cast<float>(std::sqrt(variance)) : 1.0F);

  const Eigen::MatrixXd V = detail::leading_components(moments.covariance, L);
  Eigen::MatrixXf W = V.cast<float>();
  if (settings.kind == BinaryStart::itq) {
    model.encoder().topRows(D) = W;
    const auto share =
        static_cast<Index>(std::ceil(static_cast<double>(settings.itq_points) *
                                     static_cast<double>(shard.size()) / moments.count));
    const Points sample = shard.points.slice(0, std::min(share, shard.size()));
    Eigen::MatrixXf projected(L, sample.size());
    model.scaling().for_each_block(sample, 1, [&](Index first, const Eigen::MatrixXf& U) {
      projected.middleCols(first, U.cols()) = W.transpose() * U;
    });
    W = W * detail::itq_rotation(projected, settings.itq_iterations, all_sum);
  }
  // SVMs want margins about 1: every score gets variance 1.
  const Eigen::MatrixXd turned = W.cast<double>();
  for (Index l = 0; l < L; ++l) {
    const double spread =
        variance > 0 ? turned.col(l).dot(moments.covariance * turned.col(l)) / variance : 0.0;
    if (spread > 1e-12) W.col(l) /= static_cast<float>(std::sqrt(spread));
  }
  model.encoder().topRows(D) = W;
  model.encoder().row(D).setZero();
  shard.Z = model.encode(shard.points);
  find_step_sizes(model, shard, all_sum, settings.sample);
}

} // namespace parmac
