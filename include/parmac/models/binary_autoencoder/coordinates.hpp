// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/models/binary_autoencoder/bit_problem/alternate.hpp"
#include "parmac/models/binary_autoencoder/bit_problem/enumerate.hpp"
#include "parmac/models/binary_autoencoder/bit_problem/sphere.hpp"
#include "parmac/models/binary_autoencoder/linear_hash.hpp"

namespace parmac {

/// A model that turns points into bits, as it likes, and bits into points linearly: `bits()`;
/// `scaling()`; `scores(U, S)`, which sets S (L x B) to numbers above 0 where the bits of the
/// scaled points U (D x B) are 1, column by column alone; `decoder()`, A' over c', (L + 1) x D.
template <class M>
concept BinaryDecoding = requires(const M& model, const Eigen::MatrixXf& U, Eigen::MatrixXf& S) {
  { model.bits() } -> std::convertible_to<Index>;
  { model.scaling() } -> std::convertible_to<const Scaling&>;
  { model.decoder() } -> std::convertible_to<const Eigen::MatrixXf&>;
  model.scores(U, S);
};

/// How the Z step finds a point's code.
enum class BinaryMethod {
  automatic,   ///< Exact up to `exact_bits` bits, else alternating.
  exact,       ///< Sphere decoding.
  alternating, ///< One bit at a time, from h(x), or from the present code where that is better.
  enumeration  ///< All 2^L codes, at most 20 bits: the plain truth, for tests.
};

/// Settings of the binary autoencoder's Z step.
struct BinaryCoordinatesSettings {
  BinaryMethod method = BinaryMethod::automatic;
  Index exact_bits = 16;         ///< Where `automatic` ends to be exact.
  std::uint64_t node_budget = 0; ///< Nodes a point of the exact search; 0: no limit.
  int threads = 1;
};

/// The Z step of the binary autoencoder, and of every model that is BinaryDecoding: for every point
/// the code z that minimises |u - A z - c|^2 + mu |z - h(x)|^2, where u is the point as the model
/// scales it. The objective never rises; results do not depend on the number of threads. Two matrix
/// products for a block of points, then an L-bit problem a point. Models CoordinateStep. Source:
/// "Hashing with binary autoencoders", section on optimisation over the codes; ParMAC.
class BinaryCoordinates {
public:
  explicit BinaryCoordinates(BinaryCoordinatesSettings settings = {}) : settings_(settings) {
    require(settings.threads >= 1, "the number of threads is ", settings.threads,
            "; it must be at least 1");
  }

  /// @throws ShapeError when model and shard do not match; ConfigError for enumeration above 20
  /// bits.
  template <BinaryDecoding Model>
  CoordinateReport update(const Model& model, BinaryShard& shard, double mu) {
    switch (chosen(model.bits())) {
    case BinaryMethod::enumeration:
      return run<bit_problem::Enumerate>(model, shard, mu);
    case BinaryMethod::exact:
      return run<bit_problem::Sphere>(model, shard, mu);
    default:
      return run<bit_problem::Alternate>(model, shard, mu);
    }
  }

  /// Z = h(X). @throws ShapeError
  template <BinaryDecoding Model>
  CoordinateReport project(const Model& model, BinaryShard& shard) {
    return run<ToEncoder>(model, shard, 0.0);
  }

  /// What `automatic` stands for at L bits.
  [[nodiscard]] BinaryMethod chosen(Index bits) const {
    if (settings_.method != BinaryMethod::automatic) return settings_.method;
    return bits <= settings_.exact_bits ? BinaryMethod::exact : BinaryMethod::alternating;
  }

private:
  using Words = std::vector<std::uint64_t>;

  // A "method" that takes the encoder's code.
  struct ToEncoder {
    explicit ToEncoder(const bit_problem::Quadratic& quadratic) : at(quadratic) {}
    bit_problem::Solution solve(const bit_problem::PointProblem& problem,
                                std::span<std::uint64_t> z) {
      const bit_problem::Solution found = at.costs(problem, z);
      std::copy(problem.h.begin(), problem.h.end(), z.begin());
      return found;
    }
    bit_problem::Alternate at;
  };

  template <class Method>
  Method make(const bit_problem::Quadratic& quadratic) const {
    if constexpr (std::is_same_v<Method, bit_problem::Sphere>)
      return Method(quadratic, settings_.node_budget);
    else
      return Method(quadratic);
  }

  template <class Method, class Model>
  CoordinateReport run(const Model& model, BinaryShard& shard, double mu) const {
    model.scaling().require_dimension(shard.points);
    require<ShapeError>(shard.Z.bits() == model.bits(), "the coordinates have ", shard.Z.bits(),
                        " bits, the model ", model.bits());
    const Index L = model.bits();
    const Eigen::MatrixXf A = model.decoder().topRows(L).transpose();
    const Eigen::VectorXf c = model.decoder().row(L).transpose();
    const Eigen::MatrixXd G = A.cast<double>().transpose() * A.cast<double>();
    const Eigen::VectorXd Ac = A.cast<double>().transpose() * c.cast<double>();
    const bit_problem::Quadratic quadratic(G);
    // A sum a block, added up in the order of the blocks whatever the threads do.
    std::vector<CoordinateReport> reports(
        static_cast<std::size_t>(shard.size() / Scaling::block_points + 1));
    model.scaling().for_each_block(
        shard.points, settings_.threads, [&](Index first, const Eigen::MatrixXf& U) {
          const Index B = U.cols();
          Eigen::MatrixXf S;
          model.scores(U, S);
          Eigen::MatrixXf product(L, B);
          inner_products(A, U, product);

          CoordinateReport& report =
              reports[static_cast<std::size_t>(first / Scaling::block_points)];
          Method method = make<Method>(quadratic);
          Words z(static_cast<std::size_t>(shard.Z.row_words()));
          Words before(z.size());
          Words h(z.size());
          Eigen::VectorXd t(L);
          for (Index j = 0; j < B; ++j) {
            pack_signs(column(S, j), h);
            shard.Z.load_words(first + j, z);
            before = z;
            t = product.col(j).template cast<double>() - Ac; // A'(u - c)
            const bit_problem::Solution found =
                method.solve({{t.data(), static_cast<std::size_t>(L)}, mu, h}, z);
            const double rest = static_cast<double>((U.col(j) - c).squaredNorm());
            report.before += rest + found.at_start;
            report.objective += rest + found.cost;
            report.nested += rest + found.at_h;
            report.violation += static_cast<double>(bit_problem::hamming(z, h));
            report.changed += z == before ? 0.0 : 1.0;
            shard.Z.store_words(first + j, z);
          }
        });
    CoordinateReport sum;
    for (const CoordinateReport& one : reports) sum += one;
    return sum;
  }

  BinaryCoordinatesSettings settings_;
};

} // namespace parmac
