// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parmac/retrieval/packed_codes.hpp"
#include "parmac/solvers/hinge.hpp"
#include "parmac/solvers/linear_kernels.hpp"
#include "parmac/solvers/minibatches.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// HingeUpdate for SVMs whose targets are bits of codes: +1 where a bit is 1, -1 where it is 0. Its
/// steps are those of HingeUpdate, bit for bit. With AVX-512 they take the bits as they are, and
/// the points a few at a time, which are scored while they are at hand; so what it costs to bring
/// them hides behind the products.
class BitHinge {
public:
  /// Bits first_bit .. first_bit + m - 1 of the codes Z, which must outlive it.
  BitHinge(HingeUpdate update, const PackedCodes& Z, Index first_bit)
      : update_(update), Z_(Z), first_bit_(first_bit) {}

  /// One step from a minibatch, in which `features(part, X)` sets column j of X (D x B) to point
  /// part[j]; it is called with one part after the other. W is (D + 1) x m, a submodel a column,
  /// its bias last. O(B D m). @throws ShapeError
  template <class Features>
  void step(Eigen::Ref<Eigen::MatrixXf> W, const Minibatch& which, float step_size,
            Features&& features) {
    const auto B = static_cast<Index>(which.size());
    X_.resize(W.rows() - 1, B);
#if defined(__AVX512F__)
    if (W.cols() >= 16) {
      step_in_parts(W, which, step_size, features);
      return;
    }
#endif
    features(which, X_);
    Y_.resize(B, W.cols());
    Z_.unpack(which, first_bit_, -1.0F, 1.0F, Y_);
    update_.step(W, X_, Y_, step_size);
  }

private:
#if defined(__AVX512F__)
  static constexpr Index part_points = 24; // a multiple of the columns of all tiles

  template <class Features>
  void step_in_parts(Eigen::Ref<Eigen::MatrixXf>& W, const Minibatch& which, float step_size,
                     Features& features) {
    const Index D = X_.rows();
    const Index m = W.cols();
    const auto B = static_cast<Index>(which.size());
    // Submodel by submodel and point by point, so that lanes run along submodels.
    const Index lanes = (m + 15) / 16 * 16;
    pulls_.resize(lanes, B);
    std::vector<detail::PanelMemory> memory;
    std::vector<detail::Panel> panels;
    for (Index first = 0; first < m; first += detail::panel_rows)
      panels.push_back(
          memory.emplace_back(D).transposed(W.data() + first * W.outerStride(), W.outerStride(),
                                            std::min(detail::panel_rows, m - first), D));
    bias_.setZero(lanes);
    bias_.head(m) = W.row(D).transpose();

    for (Index first = 0; first < B; first += part_points) {
      const Index count = std::min(part_points, B - first);
      const Minibatch part =
          which.part(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      auto X = X_.middleCols(first, count);
      features(part, X);
      Z_.fetch(part.next);
      bits_.resize(part.size());
      for (std::size_t panel = 0; panel < panels.size(); ++panel) {
        const Index before = static_cast<Index>(panel) * detail::panel_rows;
        for (std::size_t j = 0; j < part.size(); ++j)
          bits_[j] = Z_.bits_from(part[j], first_bit_ + before);
        detail::multiply_panel(
            panels[panel], D, {X.data(), X.outerStride()}, count,
            [stride = pulls_.rows(), bias = bias_.data() + before, bits = bits_.data(),
             pulls = pulls_.col(first).data() + before](Index row, Index column,
                                                        detail::Lanes score, __mmask16) {
              const detail::Lanes sum = _mm512_add_ps(score, _mm512_loadu_ps(bias + row));
              _mm512_storeu_ps(pulls + stride * column + row,
                               pull(sum, static_cast<__mmask16>(bits[column] >> row)));
            });
      }
    }
    const Eigen::VectorXf sums = pulls_.rowwise().sum(); // of whole numbers, in whatever order
    detail::shrink_and_move(W, B, sums, step_size, update_.lambda, update_.bias_rate,
                            [&](float shrink, float rate) {
                              detail::shrink_and_add_panels(shrink, W.topRows(D), rate, X_,
                                                            {pulls_.data(), 1, pulls_.rows()});
                            });
  }

  // What a point pulls at sixteen submodels: y where y score < 1, otherwise 0.
  static detail::Lanes pull(detail::Lanes score, __mmask16 bits) {
    const detail::Lanes minus = _mm512_set1_ps(-0.0F);
    const detail::Lanes one = _mm512_set1_ps(1.0F);
    const auto flipped = static_cast<__mmask16>(~bits);
    const detail::Lanes margin = _mm512_mask_xor_ps(score, flipped, score, minus);
    const __mmask16 pulls = _mm512_cmp_ps_mask(margin, one, _CMP_LT_OQ);
    return _mm512_maskz_mov_ps(pulls, _mm512_mask_xor_ps(one, flipped, one, minus));
  }

  Eigen::MatrixXf pulls_; // m and some more x B
  Eigen::VectorXf bias_;
  std::vector<std::uint64_t> bits_; // of a part, for a panel
#endif

  HingeUpdate update_;
  const PackedCodes& Z_;
  Index first_bit_;
  Eigen::MatrixXf X_;
  Eigen::MatrixXf Y_;
};

} // namespace parmac
