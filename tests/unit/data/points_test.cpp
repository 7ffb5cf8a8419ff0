// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "data_files.hpp"
#include "parmac/data/points.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

/// Points whose features are scattered over a buffer, by the layout, and as they must come out.
struct Scattered {
  Points points;
  Eigen::MatrixXf expected;
};

Scattered scatter(RandomStream& random, Scalar scalar, Index D, Index N) {
  const auto gap = [&] { return static_cast<Index>(random.below(4)); };
  const Index item = size_of(scalar);
  PointLayout layout{.points = N, .dimension = D, .scalar = scalar, .offset = gap()};
  if (random.below(2) == 0) { // features inside points, or the other way round
    layout.feature_stride = item + (random.below(2) == 0 ? 0 : gap());
    layout.point_stride = D * layout.feature_stride + gap();
  } else {
    layout.point_stride = item + gap();
    layout.feature_stride = N * layout.point_stride + gap();
  }
  const Index end =
      layout.offset + (N - 1) * layout.point_stride + (D - 1) * layout.feature_stride + item;
  std::vector<std::uint8_t> buffer(static_cast<std::size_t>(end), 0xEE);
  Eigen::MatrixXf X(D, N);
  for (Index n = 0; n < N; ++n)
    for (Index d = 0; d < D; ++d) {
      std::uint8_t* to =
          buffer.data() + layout.offset + n * layout.point_stride + d * layout.feature_stride;
      const auto byte = static_cast<std::uint8_t>(random.below(256));
      X(d, n) =
          scalar == Scalar::uint8 ? static_cast<float>(byte) : static_cast<float>(random.normal());
      if (scalar == Scalar::uint8)
        *to = byte;
      else
        std::memcpy(to, &X(d, n), 4);
    }
  return {Points(share_bytes(std::move(buffer)), layout, 0, "somewhere"), X};
}

} // namespace

TEST_CASE("Points come out as they lie, whatever their strides, singly, in blocks and gathered") {
  RandomStream random(1);
  for (int round = 0; round < 300; ++round) {
    const Scalar scalar = round % 2 == 0 ? Scalar::uint8 : Scalar::float32;
    const auto D = static_cast<Index>(1 + random.below(40));
    const auto N = static_cast<Index>(1 + random.below(20));
    const auto [points, X] = scatter(random, scalar, D, N);
    REQUIRE(points.size() == N);
    REQUIRE(points.dimension() == D);
    REQUIRE(points.scalar() == scalar);
    CHECK(all_of(points) == X);

    const auto first = static_cast<Index>(random.below(static_cast<std::uint64_t>(N)));
    const auto count = static_cast<Index>(random.below(static_cast<std::uint64_t>(N - first + 1)));
    Eigen::MatrixXf wide = Eigen::MatrixXf::Constant(D + 2, count + 1, -7);
    points.load(first, wide.block(1, 1, D, count)); // a block within a larger matrix
    CHECK(wide.block(1, 1, D, count) == X.middleCols(first, count));
    CHECK((wide.row(0).array() == -7).all());
    CHECK((wide.row(D + 1).array() == -7).all());

    std::vector<Index> which(random.below(30));
    for (Index& i : which) i = static_cast<Index>(random.below(static_cast<std::uint64_t>(N)));
    Eigen::MatrixXf some(D, static_cast<Index>(which.size()));
    points.gather(which, some);
    for (std::size_t j = 0; j < which.size(); ++j)
      CHECK(some.col(static_cast<Index>(j)) == X.col(which[j]));

    const Points part = points.slice(first, count);
    CHECK(part.first() == first);
    CHECK(all_of(part) == X.middleCols(first, count));
    CHECK(all_of(part.slice(count, 0)).cols() == 0);

    const auto feature = static_cast<Index>(random.below(static_cast<std::uint64_t>(D)));
    const auto features =
        1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(D - feature)));
    CHECK(all_of(points.features(feature, features)) == X.middleRows(feature, features));

    // Centres beyond the D-th must not be read.
    std::vector<float> centre(static_cast<std::size_t>(D));
    for (float& c : centre) c = static_cast<float>(random.normal());
    const AffineMap map{centre.data(), 0.3F};
    // What comes next may be anything, and changes nothing.
    const std::vector<Index> next{-1, N, std::numeric_limits<Index>::max(), 0};
    points.gather(which, some, map, next);
    for (std::size_t j = 0; j < which.size(); ++j)
      for (Index d = 0; d < D; ++d)
        REQUIRE(some(d, static_cast<Index>(j)) ==
                (X(d, which[j]) - centre[static_cast<std::size_t>(d)]) * 0.3F);
    Eigen::MatrixXf mapped(D, count);
    points.load(first, mapped, map);
    for (Index j = 0; j < count; ++j)
      for (Index d = 0; d < D; ++d)
        REQUIRE(mapped(d, j) == (X(d, first + j) - centre[static_cast<std::size_t>(d)]) * 0.3F);
  }
}

TEST_CASE("Matrices of floats and of bytes, and parts of them, are points") {
  RandomStream random(2);
  const ByteMatrix B = random_bytes(random, 5, 9);
  const Eigen::MatrixXf X = B.cast<float>();
  CHECK(Points(B).scalar() == Scalar::uint8);
  CHECK(Points(X).scalar() == Scalar::float32);
  CHECK(all_of(Points(B)) == X); // bytes become the same floats
  CHECK(all_of(Points(X)) == X);
  CHECK(all_of(Points(X.middleCols(2, 3))) == X.middleCols(2, 3));
  CHECK(all_of(Points(B.transpose())) == X.transpose());
  CHECK(Points(X).source() == "memory");
  CHECK(Points(X).first() == 0);
  CHECK(Points(Eigen::MatrixXf(3, 0)).size() == 0);
  CHECK_THROWS_AS(Points(Eigen::MatrixXf(0, 3)), ShapeError);
}

TEST_CASE("A matrix that is handed over is not copied, and copies of points share it") {
  Eigen::MatrixXf X = Eigen::MatrixXf::Constant(2, 3, 1);
  float* inside = X.data();
  const Points points(std::move(X));
  const Points copy = points;
  *inside = 5; // seen through both
  CHECK(all_of(points)(0, 0) == 5);
  CHECK(all_of(copy)(0, 0) == 5);
}

TEST_CASE("Features live as long as any of the points that share them") {
  std::optional<Points> slice;
  {
    const Points points(Eigen::MatrixXf::Constant(3, 1000, 4));
    slice = points.slice(990, 10);
  }
  CHECK((all_of(*slice).array() == 4).all());
}

TEST_CASE("Points that are not there, and matrices of another shape, are refused") {
  const Points points(Eigen::MatrixXf::Zero(3, 5));
  Eigen::MatrixXf out(3, 2);
  Eigen::MatrixXf flat(2, 2);
  CHECK_THROWS_AS(points.load(4, out), ShapeError);
  CHECK_THROWS_AS(points.load(-1, out), ShapeError);
  CHECK_THROWS_AS(points.load(std::numeric_limits<Index>::max(), out), ShapeError);
  CHECK_THROWS_AS(points.load(0, flat), ShapeError);
  CHECK_THROWS_AS(points.gather(std::array<Index, 2>{0, 5}, out), ShapeError);
  CHECK_THROWS_AS(points.gather(std::array<Index, 2>{-1, 0}, out), ShapeError);
  CHECK_THROWS_AS(points.gather(std::array<Index, 1>{0}, out), ShapeError);
  CHECK_THROWS_AS(points.gather(std::array<Index, 2>{0, 1}, flat), ShapeError);
  CHECK_THROWS_AS(points.slice(0, 6), ShapeError);
  CHECK_THROWS_AS(points.slice(6, 0), ShapeError);
  CHECK_THROWS_AS(points.slice(1, -1), ShapeError);
  CHECK_THROWS_AS(points.features(0, 4), ShapeError);
  CHECK_THROWS_AS(points.features(3, 1), ShapeError);
  CHECK_THROWS_AS(points.features(-1, 2), ShapeError);
  CHECK_THROWS_AS(points.features(1, 0), ShapeError);
}

TEST_CASE("A layout that reaches beyond its bytes by one is refused, the exact one is taken") {
  RandomStream random(3);
  const auto open = [](Index bytes, const PointLayout& layout) {
    return Points(share_bytes(std::vector<std::byte>(static_cast<std::size_t>(bytes))), layout, 0,
                  "x");
  };
  for (int round = 0; round < 300; ++round) {
    const auto small = [&] { return static_cast<Index>(random.below(6)); };
    const PointLayout layout{.points = 1 + small(),
                             .dimension = 1 + small(),
                             .scalar = random.below(2) == 0 ? Scalar::uint8 : Scalar::float32,
                             .offset = small(),
                             .point_stride = small(),
                             .feature_stride = small()};
    const Index needed = layout.offset + (layout.points - 1) * layout.point_stride +
                         (layout.dimension - 1) * layout.feature_stride + size_of(layout.scalar);
    CHECK_NOTHROW(open(needed, layout));
    CHECK_THROWS_AS(open(needed - 1, layout), ShapeError);
  }
  constexpr Index huge = std::numeric_limits<Index>::max();
  CHECK_THROWS_AS(open(100, {huge, 2, Scalar::uint8, 0, 4, 1}), ShapeError);
  CHECK_THROWS_AS(open(100, {3, huge, Scalar::uint8, 0, 4, huge}), ShapeError);
  CHECK_THROWS_AS(open(100, {1, 1, Scalar::uint8, huge, 1, 1}), ShapeError);
  CHECK_THROWS_AS(open(100, {1, 1, Scalar::uint8, -1, 1, 1}), ShapeError);
  CHECK_THROWS_AS(open(100, {2, 1, Scalar::uint8, 0, -1, 1}), ShapeError);
  CHECK_THROWS_AS(open(100, {-1, 1, Scalar::uint8, 0, 1, 1}), ShapeError);
}

TEST_CASE("A number that is not finite is named by file, record, column and value") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto message = [](float value) {
    Eigen::MatrixXf X = Eigen::MatrixXf::Constant(4, 10, std::numeric_limits<float>::max());
    X(3, 6) = value;
    const auto bytes = share_bytes(std::move(X));
    const Points all(bytes, {10, 4, Scalar::float32, 0, 16, 4}, 100, "base.fvecs");
    return message_of<DataError>([&] { require_finite(all.slice(5, 5)); });
  };
  CHECK(says(message(std::numeric_limits<float>::quiet_NaN()),
             {"base.fvecs", "record 106", "column 3", "NaN"}));
  CHECK(says(message(infinity), {"record 106", "column 3", "holds infinity"}));
  CHECK(says(message(-infinity), {"record 106", "column 3", "holds -infinity"}));
}

TEST_CASE("All finite floats, the smallest and largest too, and all bytes are finite") {
  Eigen::MatrixXf X(1, 4);
  X << std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
      std::numeric_limits<float>::denorm_min(), -0.0F;
  CHECK_NOTHROW(require_finite(Points(X)));
  CHECK_NOTHROW(require_finite(Points(ByteMatrix(ByteMatrix::Constant(3, 3, 0xFF)))));
}
