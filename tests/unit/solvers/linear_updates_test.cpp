// SPDX-License-Identifier: BSL-1.0
// What holds for HingeUpdate and SquaredErrorUpdate alike.
#include "catch.hpp"

#include <cstring>

#include "parmac/solvers/hinge.hpp"
#include "parmac/solvers/squared_error.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;

namespace {

Eigen::MatrixXf random_matrix(Index rows, Index cols, RandomStream& random) {
  Eigen::MatrixXf M(rows, cols);
  for (Index i = 0; i < M.size(); ++i) M(i) = static_cast<float>(random.normal());
  return M;
}

Eigen::MatrixXf random_labels(Index rows, Index cols, RandomStream& random) {
  Eigen::MatrixXf M(rows, cols);
  for (Index i = 0; i < M.size(); ++i) M(i) = random.below(2) == 0 ? -1.0F : 1.0F;
  return M;
}

bool same_bits(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.size())) == 0;
}

} // namespace

TEMPLATE_TEST_CASE("A range of submodels learns bit for bit what its parts learn alone", "",
                   HingeUpdate, SquaredErrorUpdate) {
  TestType update;
  update.lambda = 1e-3;
  RandomStream random(1);
  for (const Index D : {1, 2, 3, 7, 16, 64, 127, 128, 129, 320, 784})
    for (const Index B : {1, 2, 5, 17, 100, 128}) {
      const Index m = 1 + static_cast<Index>(random.below(D * B > 20000 ? 30U : 70U));
      const Eigen::MatrixXf X = random_matrix(D, B, random);
      const Eigen::MatrixXf Y = std::is_same_v<TestType, HingeUpdate> ? random_labels(B, m, random)
                                                                      : random_matrix(B, m, random);
      const Eigen::MatrixXf start = 0.1F * random_matrix(D + 1, m, random);
      const float step = 0.5F / static_cast<float>(D);

      Eigen::MatrixXf fused = start;
      for (int i = 0; i < 2; ++i) update.step(fused, X, Y, step);
      Eigen::MatrixXf split = start;
      for (Index first = 0; first < m;) {
        const Index most = m - first;
        const Index cols =
            random.below(2) == 0
                ? 1
                : 1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(most)));
        for (int i = 0; i < 2; ++i)
          update.step(split.middleCols(first, cols), X, Y.middleCols(first, cols), step);
        first += cols;
      }

      INFO("D = " << D << ", B = " << B << ", m = " << m);
      REQUIRE(same_bits(fused, split));
      REQUIRE_FALSE(same_bits(fused, start));
    }
}

TEMPLATE_TEST_CASE("Training follows the derivative of the objective", "", HingeUpdate,
                   SquaredErrorUpdate) {
  TestType update;
  update.lambda = 0.3;
  RandomStream random(2);
  for (int i = 0; i < 50; ++i) {
    const Index D = 1 + static_cast<Index>(random.below(5));
    const Index B = 1 + static_cast<Index>(random.below(12));
    const Eigen::MatrixXf X = random_matrix(D, B, random);
    const Eigen::MatrixXf Y = random_labels(B, 2, random);
    const Eigen::MatrixXf W = random_matrix(D + 1, 2, random);
    // Nothing but the slope is wanted: away from the hinge's kink, in exact steps of 2^-10.
    const Eigen::MatrixXd margins =
        Y.cast<double>().array() *
        ((X.transpose() * W.topRows(D)).rowwise() + W.row(D)).cast<double>().array();
    if (((margins.array() - 1).abs() < 0.02).any()) continue;

    Eigen::MatrixXf moved = W;
    update.step(moved, X, Y, 1.0F);

    const float h = 0x1p-10F;
    for (Index k = 0; k < W.size(); ++k) {
      Eigen::MatrixXf up = W;
      Eigen::MatrixXf down = W;
      up(k) += h;
      down(k) -= h;
      const double slope = (update.objective(up, X, Y) - update.objective(down, X, Y)) /
                           (static_cast<double>(up(k)) - static_cast<double>(down(k)));
      CHECK(static_cast<double>(W(k) - moved(k)) == Approx(slope).margin(2e-3));
    }
  }
}

TEMPLATE_TEST_CASE("A step of size 0 and a minibatch without points change nothing", "",
                   HingeUpdate, SquaredErrorUpdate) {
  const TestType update;
  RandomStream random(3);
  const Eigen::MatrixXf X = random_matrix(5, 9, random);
  const Eigen::MatrixXf Y = random_labels(9, 3, random);
  const Eigen::MatrixXf start = random_matrix(6, 3, random);
  Eigen::MatrixXf W = start;

  update.step(W, X, Y, 0.0F);
  CHECK(W == start);
  update.step(W, X.leftCols(0), Y.topRows(0), 1.0F);
  CHECK(W == start);
  const double size = start.topRows(5).template cast<double>().squaredNorm();
  CHECK(update.objective(W, X.leftCols(0), Y.topRows(0)) == Approx(update.lambda / 2 * size));
  Eigen::MatrixXf none(6, 0);
  update.step(none, X, Eigen::MatrixXf(9, 0), 1.0F);
  CHECK(update.objective(none, X, Eigen::MatrixXf(9, 0)) == 0);
}

TEMPLATE_TEST_CASE("Points without features train the bias alone", "", HingeUpdate,
                   SquaredErrorUpdate) {
  const TestType update;
  Eigen::MatrixXf W = Eigen::MatrixXf::Zero(1, 1);
  const Eigen::MatrixXf X(0, 4);
  const Eigen::MatrixXf Y = Eigen::Vector4f(1, 1, 1, -1);
  update.step(W, X, Y, 0.5F);
  CHECK(W(0) == Approx(0.25)); // 0.5 times the mean of the targets, all of which pull
}

TEMPLATE_TEST_CASE("Sizes that do not match are refused", "", HingeUpdate, SquaredErrorUpdate) {
  const TestType update;
  Eigen::MatrixXf W = Eigen::MatrixXf::Zero(4, 2);
  const Eigen::MatrixXf X = Eigen::MatrixXf::Zero(3, 5);
  const Eigen::MatrixXf Y = Eigen::MatrixXf::Ones(5, 2);
  CHECK_NOTHROW(update.step(W, X, Y, 1.0F));
  CHECK_THROWS_AS(update.step(W, Eigen::MatrixXf::Zero(4, 5), Y, 1.0F), ShapeError);
  CHECK_THROWS_AS(update.step(W, X, Eigen::MatrixXf::Ones(4, 2), 1.0F), ShapeError);
  CHECK_THROWS_AS(update.step(W, X, Eigen::MatrixXf::Ones(5, 3), 1.0F), ShapeError);
  CHECK_THROWS_AS(update.objective(W, X, Eigen::MatrixXf::Ones(2, 5)), ShapeError);
}
