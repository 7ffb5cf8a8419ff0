// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/visit.hpp"
#include "parmac/models/binary_autoencoder/bit_pair_sums.hpp"
#include "parmac/models/binary_autoencoder/scaling.hpp"
#include "parmac/models/binary_autoencoder/shard.hpp"
#include "parmac/solvers/least_squares.hpp"
#include "parmac/solvers/linear_kernels.hpp"
#include "parmac/solvers/sgd.hpp"
#include "parmac/solvers/squared_error.hpp"

namespace parmac {

/// The linear decoder f(z) = A z + c of binary codes, which reconstructs scaled points. Output d is
/// a column of its own: column d of A' over c_d. Outputs are learnt in ranges, each alone.
class LinearDecoder {
public:
  /// Zeros, (L + 1) x D. @throws ConfigError unless L >= 1.
  LinearDecoder(Index bits, Index features) {
    require(bits >= 1, "codes of ", bits, " bits were asked for; a code has at least 1 bit");
    weights_.setZero(bits + 1, features);
  }

  [[nodiscard]] Index bits() const { return weights_.rows() - 1; }
  /// (L + 1) x D: an output a column, its bias last; that is, A' over c'.
  [[nodiscard]] const Eigen::MatrixXf& weights() const { return weights_; }
  [[nodiscard]] Eigen::MatrixXf& weights() { return weights_; }

  /// The memory of the outputs first .. first + count - 1.
  [[nodiscard]] std::span<float> parameters(Index first, Index count) {
    return {weights_.data() + first * weights_.rows(),
            static_cast<std::size_t>(count * weights_.rows())};
  }

  /// The statistics from which these outputs are solved: what an exact decoder sends.
  [[nodiscard]] std::span<double> statistics(Index first, Index count) {
    std::vector<double>& sums = statistics_[{first, count}];
    sums.resize(static_cast<std::size_t>(LeastSquares::size(bits(), count)));
    return sums;
  }

  /// Adds a shard to the statistics; they begin at zero in a W step's first visit.
  // Bytes and bits are whole numbers, and so are their sums: exact in double, so that byte data
  // give the same decoder in whatever order, on however many machines.
  void gather(Index first_output, Index count, const BinaryShard& shard, const Visit& visit) {
    LeastSquares sums(statistics(first_output, count), bits(), count);
    if (visit.first()) sums.clear();
    sums.add_inputs(bit_pair_sums(shard.Z, 0, shard.size(), [&] { visit.progress(); }));
    const Points outputs = shard.points.features(first_output, count);
    if (outputs.scalar() == Scalar::uint8)
      sums.add_outputs(whole_sums(outputs, shard.Z, visit));
    else
      for (Index first = 0; first < outputs.size(); first += Scaling::block_points) {
        visit.progress();
        Eigen::MatrixXf X(count, std::min(Scaling::block_points, outputs.size() - first));
        outputs.load(first, X);
        Eigen::MatrixXd Z(bits(), X.cols());
        shard.Z.unpack<double>(first, Z);
        sums.accumulate_outputs(Z, X.cast<double>());
      }
  }

  /// Solves for these outputs. The statistics are of x; the map is wanted for u.
  void solve(Index first, Index count, const Scaling& scaling, double ridge) {
    const LinearMap map = LeastSquares(statistics(first, count), bits(), count).solve(ridge);
    const double shrink = 1.0 / static_cast<double>(scaling.scale());
    auto columns = weights_.middleCols(first, count);
    columns.topRows(bits()) = (map.A.transpose() * shrink).cast<float>();
    columns.row(bits()) = ((map.c - scaling.centre().segment(first, count).cast<double>()) * shrink)
                              .cast<float>()
                              .transpose();
  }

  /// One pass of stochastic gradient descent instead. @throws NumericalError
  void descend(Index first, Index count, const BinaryShard& shard, const Scaling& scaling,
               double lambda, double first_step, const MinibatchSettings& minibatches,
               const Visit& visit) {
    RandomStream stream = visit.stream();
    Eigen::MatrixXf U;
    train_pass(SquaredErrorUpdate{.lambda = lambda}, weights_.middleCols(first, count),
               step_schedule(first_step, visit, minibatches.size), shard.size(), minibatches,
               stream, [&](const Minibatch& which, Eigen::MatrixXf& X, Eigen::MatrixXf& Y) {
                 visit.progress();
                 U.resize(weights_.cols(), X.cols());
                 scaling.gather(shard.points, which, U);
                 Y = U.middleRows(first, count).transpose();
                 for (std::size_t j = 0; j < which.size(); ++j)
                   for (Index l = 0; l < bits(); ++l)
                     X(l, static_cast<Index>(j)) = shard.Z.get(which[j], l) ? 1.0F : 0.0F;
               });
  }

private:
  // The sum of (z,1) x' over all points. As long as it is below 2^24 it is exact in float, too,
  // which is faster by far.
  static Eigen::MatrixXd whole_sums(const Points& points, const PackedCodes& Z,
                                    const Visit& visit) {
    constexpr Index block = 256; // with its points and codes as floats in the processor's cache
    constexpr Index exact = (1 << 24) / 255 / block * block;
    const Index N = points.size();
    const Index L = Z.bits();
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(L + 1, points.dimension());
    Eigen::MatrixXf some_sums = Eigen::MatrixXf::Zero(points.dimension(), L + 1);
    Eigen::MatrixXf X;
    Eigen::MatrixXf lifted; // (z,1) a row
    std::vector<Index> which;
    for (Index first = 0; first < N; first += block) {
      visit.progress();
      const Index B = std::min(block, N - first);
      X.resize(points.dimension(), B);
      points.load(first, X);
      which.resize(static_cast<std::size_t>(B));
      std::iota(which.begin(), which.end(), first);
      lifted.resize(B, L + 1);
      Z.unpack(which, 0, 0.0F, 1.0F, lifted.leftCols(L));
      lifted.col(L).setOnes();
      shrink_and_add(1.0F, some_sums, 1.0F, X, lifted);
      if (first + B == N || (first + B) % exact == 0) {
        sums += some_sums.transpose().cast<double>();
        some_sums.setZero();
      }
    }
    return sums;
  }

  Eigen::MatrixXf weights_;
  std::map<std::pair<Index, Index>, std::vector<double>> statistics_; // by first and count
};

} // namespace parmac
