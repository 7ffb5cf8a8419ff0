// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "parmac/core/point_source.hpp"
#include "parmac/data/convert.hpp"
#include "parmac/data/shared_bytes.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// How a feature is stored.
enum class Scalar { float32, uint8 };

/// The bytes that a feature takes.
[[nodiscard]] constexpr Index size_of(Scalar scalar) { return scalar == Scalar::uint8 ? 1 : 4; }

/// Points of one byte a feature, D x N, a point a column.
using ByteMatrix = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;

/// Where the features lie among bytes: feature d of point n starts at byte
/// offset + n * point_stride + d * feature_stride, at any alignment.
struct PointLayout {
  Index points = 0;    ///< N >= 0
  Index dimension = 0; ///< D >= 1
  Scalar scalar = Scalar::float32;
  Index offset = 0;
  Index point_stride = 0;
  Index feature_stride = 0;
};

namespace detail {

/// Whether the product of the factors, none of them negative, is at most `limit`; never overflows.
[[nodiscard]] inline bool product_within(Index limit, std::span<const Index> factors) {
  if (std::count(factors.begin(), factors.end(), 0) > 0) return limit >= 0;
  for (const Index factor : factors) limit /= factor; // floors of floors are the floor of the whole
  return limit >= 1;
}

} // namespace detail

/// N points of D features each, which do not change, wherever they lie: in a mapped file, read from
/// the disk as they are used, or in memory. Bytes stay bytes and become floats a block at a time.
/// Copies and slices share the features and cost O(1). Models PointSource.
class Points {
public:
  /// The columns of a matrix of float or std::uint8_t, which is copied.
  /// @throws ShapeError when it has no rows.
  template <class Derived>
    requires std::same_as<typename Derived::Scalar, float> ||
        std::same_as<typename Derived::Scalar, std::uint8_t>
  explicit Points(const Eigen::DenseBase<Derived>& X)
      : Points(
            Eigen::Matrix<typename Derived::Scalar, Eigen::Dynamic, Eigen::Dynamic>(X.derived())) {}
  /// The columns of a matrix that is taken over, without copying. @throws ShapeError likewise.
  explicit Points(Eigen::MatrixXf&& X) : Points(Scalar::float32, std::move(X)) {}
  explicit Points(ByteMatrix&& X) : Points(Scalar::uint8, std::move(X)) {}

  /// Features that lie anywhere among shared bytes.
  /// @param first the number of point 0 among all points of all machines, for messages.
  /// @param source the name of the file, for messages.
  /// @throws ShapeError when the layout has no features or reaches beyond the bytes.
  Points(SharedBytes bytes, const PointLayout& layout, Index first, std::string source)
      : owner_(std::move(bytes.owner)),
        layout_(layout),
        first_(first),
        source_(std::make_shared<const std::string>(std::move(source))) {
    require<ShapeError>(layout.dimension >= 1, *source_, " has points of ", layout.dimension,
                        " features; a point has at least 1");
    require<ShapeError>(fits(static_cast<Index>(bytes.view.size())), *source_, ": ", layout.points,
                        " points of ", layout.dimension, " features do not lie within ",
                        bytes.view.size(), " bytes (first at ", layout.offset, ", a point every ",
                        layout.point_stride, ", a feature every ", layout.feature_stride, ")");
    data_ = reinterpret_cast<const std::uint8_t*>(bytes.view.data());
    if (layout.points > 0) data_ += layout.offset;
  }

  [[nodiscard]] Index size() const { return layout_.points; }         ///< N
  [[nodiscard]] Index dimension() const { return layout_.dimension; } ///< D
  [[nodiscard]] Scalar scalar() const { return layout_.scalar; }
  /// The number of point 0 among all points of all machines.
  [[nodiscard]] Index first() const { return first_; }
  /// The name of the file, or "memory".
  [[nodiscard]] const std::string& source() const { return *source_; }

  /// Copies points first .. first + B - 1 into `out`, D x B, a point a column. O(D B); fastest when
  /// the features of a point lie side by side. Safe from several threads at once.
  /// @throws ShapeError when there are no such points or `out` has not D rows.
  void load(Index first, Eigen::Ref<Eigen::MatrixXf> out) const {
    load(first, out, detail::IdentityMap());
  }
  /// The same, every feature mapped.
  template <class Map>
  void load(Index first, Eigen::Ref<Eigen::MatrixXf> out, const Map& map) const {
    require_range({first, out.cols()});
    copy(
        out, [first](Index j) { return first + j; }, map);
  }

  /// Makes column j of `out`, D x B, point which[j]. O(D B). Safe from several threads at once.
  /// @throws ShapeError when there is no such point or `out` is not D x which.size().
  void gather(std::span<const Index> which, Eigen::Ref<Eigen::MatrixXf> out) const {
    gather(which, out, detail::IdentityMap());
  }
  /// The same, every feature mapped. Meanwhile the processor is asked to bring near as many of the
  /// points `next`, which are wanted soon; a number in it that is no point's is passed over.
  template <class Map>
  void gather(std::span<const Index> which, Eigen::Ref<Eigen::MatrixXf> out, const Map& map,
              std::span<const Index> next = {}) const {
    require<ShapeError>(out.cols() == static_cast<Index>(which.size()), which.size(),
                        " points do not fit into ", out.cols(), " columns");
    for (const Index i : which)
      require<ShapeError>(i >= 0 && i < size(), "there is no point ", i, " among ", size(), " of ",
                          *source_);
    const auto pick = [this, which, next](Index j) {
      const auto place = static_cast<std::size_t>(j);
      if (place < next.size()) fetch(next[place]); // a few at a time, lest the work wait for them
      return which[place];
    };
    copy(out, pick, map);
  }

  /// Points first .. first + count - 1, sharing the features. O(1).
  /// @throws ShapeError when there are no such points.
  [[nodiscard]] Points slice(Index first, Index count) const {
    require_range({first, count});
    Points part = *this;
    part.layout_.points = count;
    part.first_ += first;
    if (count > 0) part.data_ += first * layout_.point_stride;
    return part;
  }

  /// Features first .. first + count - 1 of all points, sharing them. O(1).
  /// @throws ShapeError unless there are those, and at least one.
  [[nodiscard]] Points features(Index first, Index count) const {
    require<ShapeError>(first >= 0 && count >= 1 && count <= dimension() - first, "there are no ",
                        count, " features from feature ", first, " on among ", dimension(), " of ",
                        *source_);
    Points part = *this;
    part.layout_.dimension = count;
    if (size() > 0) part.data_ += first * layout_.feature_stride;
    return part;
  }

private:
  struct Range {
    Index first;
    Index count;
  };

  template <class Matrix>
  Points(Scalar scalar, Matrix&& X)
      : Points(SharedBytes{}, {0, std::max<Index>(X.rows(), 0), scalar}, 0, "memory") {
    layout_.points = X.cols();
    layout_.feature_stride = size_of(scalar);
    layout_.point_stride = X.rows() * size_of(scalar);
    SharedBytes bytes = share_bytes(std::forward<Matrix>(X));
    owner_ = std::move(bytes.owner);
    data_ = reinterpret_cast<const std::uint8_t*>(bytes.view.data());
  }

  [[nodiscard]] bool fits(Index bytes) const {
    const auto& [N, D, scalar, offset, point_stride, feature_stride] = layout_;
    if (N < 0 || offset < 0 || point_stride < 0 || feature_stride < 0) return false;
    if (N == 0) return true;
    Index left = bytes - size_of(scalar);
    if (left < offset) return false;
    left -= offset;
    const Index to_last_point[] = {N - 1, point_stride};
    if (!detail::product_within(left, to_last_point)) return false;
    left -= (N - 1) * point_stride;
    const Index to_last_feature[] = {D - 1, feature_stride};
    return detail::product_within(left, to_last_feature);
  }

  void require_range(Range range) const {
    require<ShapeError>(range.first >= 0 && range.count >= 0 && range.count <= size() - range.first,
                        "there are no ", range.count, " points from point ", range.first,
                        " on among ", size(), " of ", *source_);
  }

  // Inline by force: GCC takes a function that does nothing else for one without effect, and drops
  // the calls.
  [[gnu::always_inline]] void fetch(Index n) const {
    if (n < 0 || n >= size() || layout_.feature_stride != size_of(layout_.scalar)) return;
    constexpr std::uintptr_t line = 64;
    const auto point = reinterpret_cast<std::uintptr_t>(data_ + n * layout_.point_stride);
    const auto end = point + static_cast<std::uintptr_t>(dimension() * layout_.feature_stride);
    for (std::uintptr_t at = point / line * line; at < end; at += line)
      __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 2);
  }

  // Column j of `out` becomes point pick(j), with map(d, x) for feature d.
  template <class Pick, class Map>
  void copy(Eigen::Ref<Eigen::MatrixXf>& out, Pick&& pick, const Map& map) const {
    require<ShapeError>(out.rows() == dimension(), *source_, " has points of ", dimension(),
                        " features, which do not fit into ", out.rows(), " rows");
    const auto convert = layout_.scalar == Scalar::uint8 ? detail::convert<std::uint8_t, Map>
                                                         : detail::convert<float, Map>;
    for (Index j = 0; j < out.cols(); ++j)
      convert(data_ + pick(j) * layout_.point_stride, layout_.feature_stride,
              out.data() + j * out.outerStride(), dimension(), map);
  }

  std::shared_ptr<const void> owner_;
  const std::uint8_t* data_ = nullptr; // feature 0 of point 0
  PointLayout layout_;
  Index first_;
  std::shared_ptr<const std::string> source_;
};
static_assert(PointSource<Points>);

/// Looks for numbers that are not finite, which no training survives. O(N D) for floats; bytes are
/// always finite.
/// @throws DataError that names the file, the point, the feature and what stands there.
inline void require_finite(const Points& points) {
  if (points.scalar() == Scalar::uint8) return;
  // By their bits, since with -ffast-math compilers take it for granted that all is finite.
  const auto infinite = [](float x) {
    return (std::bit_cast<std::uint32_t>(x) & 0x7F800000U) == 0x7F800000U;
  };
  Eigen::VectorXf x(points.dimension());
  for (Index n = 0; n < points.size(); ++n) {
    points.load(n, x);
    bool bad = false;
    for (const float value : x) bad |= infinite(value);
    if (!bad) continue;
    const auto at = std::find_if(x.begin(), x.end(), infinite);
    const auto bits = std::bit_cast<std::uint32_t>(*at);
    const char* found = (bits & 0x7FFFFFU) != 0 ? "NaN" : bits >> 31 ? "-infinity" : "infinity";
    throw DataError(text(points.source(), ": record ", points.first() + n, ", column ",
                         at - x.begin(), " (counted from 0) holds ", found,
                         "; all features must be finite"));
  }
}

} // namespace parmac
