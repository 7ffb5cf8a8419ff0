// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "parmac/core/visit.hpp"
#include "parmac/models/binary_autoencoder/bit_hinge.hpp"
#include "parmac/models/binary_autoencoder/scaling.hpp"
#include "parmac/models/binary_autoencoder/shard.hpp"
#include "parmac/solvers/linear_kernels.hpp"
#include "parmac/solvers/sgd.hpp"

namespace parmac {

/// Bit l of the words becomes 1 where score l is above 0; `scores` lie side by side.
inline void pack_signs(std::span<const float> scores, std::span<std::uint64_t> words) {
  std::fill(words.begin(), words.end(), 0);
  std::size_t l = 0;
#if defined(__AVX512F__)
  for (; l + 16 <= scores.size(); l += 16) {
    const __mmask16 above =
        _mm512_cmp_ps_mask(_mm512_loadu_ps(scores.data() + l), _mm512_setzero_ps(), _CMP_GT_OQ);
    words[l / 64] |= std::uint64_t{above} << (l % 64);
  }
#endif
  for (; l < scores.size(); ++l) words[l / 64] |= std::uint64_t{scores[l] > 0} << (l % 64);
}

/// Column j of S, as `pack_signs` takes it.
[[nodiscard]] inline std::span<const float> column(const Eigen::MatrixXf& S, Index j) {
  return {S.col(j).data(), static_cast<std::size_t>(S.rows())};
}

/// The codes of all points under a model that has `bits()`, `scaling()` and `scores(U, S)`, which
/// sets S (L x B) to numbers that are above 0 where the bits of the points U (D x B, scaled) are 1.
/// The codes do not depend on `threads`. @throws ShapeError when D differs.
template <class Model>
[[nodiscard]] PackedCodes encode_points(const Model& model, const Points& points, int threads) {
  model.scaling().require_dimension(points);
  PackedCodes codes(model.bits(), points.size());
  model.scaling().for_each_block(points, threads, [&](Index first, const Eigen::MatrixXf& U) {
    Eigen::MatrixXf S;
    model.scores(U, S);
    std::vector<std::uint64_t> words(static_cast<std::size_t>(codes.row_words()));
    for (Index j = 0; j < S.cols(); ++j) {
      pack_signs(column(S, j), words);
      codes.store_words(first + j, words);
    }
  });
  return codes;
}

/// The scores W'u + b (L x B) of linear hash functions W, (F + 1) x L with the biases last, for
/// points U, F x B. Column j depends on point j alone, bit for bit, so codes never depend on how
/// points are cut into blocks.
inline void linear_hash_scores(const Eigen::MatrixXf& W, const Eigen::MatrixXf& U,
                               Eigen::MatrixXf& S) {
  S.resize(W.cols(), U.cols());
  inner_products(W.topRows(W.rows() - 1), U, S);
  S.colwise() += W.row(W.rows() - 1).transpose();
}

/// One pass of stochastic gradient descent on the hinge loss for some linear hash functions: linear
/// SVMs that learn to tell the points whose bit is 1 from the others.
/// @param W (F + 1) x m, of the bits first_bit .. first_bit + m - 1, the biases last.
/// @param features `features(which, X)` sets column j of X (F x B) to point which[j] as the SVMs
/// see it; which is a Minibatch or a part of one. @throws NumericalError
template <class Features>
void train_linear_hash(Eigen::Ref<Eigen::MatrixXf> W, Index first_bit, const PackedCodes& Z,
                       double lambda, double first_step, const MinibatchSettings& minibatches,
                       const Visit& visit, Features&& features) {
  RandomStream stream = visit.stream();
  BitHinge hinge({.lambda = lambda}, Z, first_bit);
  descend(W, step_schedule(first_step, visit, minibatches.size), lambda, Z.size(), minibatches,
          stream, [&](const Minibatch& which, float step_size) {
            visit.progress();
            hinge.step(W, which, step_size, features);
          });
}

} // namespace parmac
