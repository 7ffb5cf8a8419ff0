// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <Eigen/QR>
#include <limits>
#include <vector>

#include "parmac/solvers/least_squares.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;

namespace {

struct Data {
  Eigen::MatrixXd Z, Y;
};

Data random_points(Index L, Index m, Index N, RandomStream& random) {
  Data data{Eigen::MatrixXd(L, N), Eigen::MatrixXd(m, N)};
  for (Index i = 0; i < data.Z.size(); ++i) data.Z(i) = static_cast<double>(random.below(2));
  for (Index i = 0; i < data.Y.size(); ++i) data.Y(i) = random.normal();
  return data;
}

std::vector<double> statistics(const Data& data) {
  std::vector<double> memory(
      static_cast<std::size_t>(LeastSquares::size(data.Z.rows(), data.Y.rows())), 0.0);
  LeastSquares(memory, data.Z.rows(), data.Y.rows()).accumulate(data.Z, data.Y);
  return memory;
}

LinearMap fit(const Data& data, double ridge = 0) {
  std::vector<double> memory = statistics(data);
  return LeastSquares(memory, data.Z.rows(), data.Y.rows()).solve(ridge);
}

double error(const Data& data, const LinearMap& map) {
  return (data.Y - ((map.A * data.Z).colwise() + map.c)).squaredNorm();
}

// The solution of smallest |A| by a decomposition of the centred data themselves.
LinearMap oracle(const Data& data) {
  const Eigen::VectorXd z = data.Z.rowwise().mean();
  const Eigen::VectorXd y = data.Y.rowwise().mean();
  const Eigen::MatrixXd Z = (data.Z.colwise() - z).transpose();
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(1e-9);
  decomposition.compute(Z);
  const Eigen::MatrixXd A = decomposition.solve((data.Y.colwise() - y).transpose()).transpose();
  return {A, y - A * z};
}

} // namespace

TEST_CASE("Four codes and their targets give the decoder computed by hand") {
  const Data data{Eigen::MatrixXd{{0, 1, 0, 1}, {0, 0, 1, 1}},
                  Eigen::MatrixXd{{1, 2, 0, 3}, {2, 2, 4, 5}}};

  const LinearMap plain = fit(data);
  CHECK(plain.A.isApprox(Eigen::Matrix2d{{2, 0}, {0.5, 2.5}}, 1e-12));
  CHECK(plain.c.isApprox(Eigen::Vector2d(0.5, 1.75), 1e-12));
  CHECK(error(data, plain) == Approx(1.25));

  const LinearMap ridge = fit(data, 1);
  CHECK(ridge.A.isApprox(Eigen::Matrix2d{{1, 0}, {0.25, 1.25}}, 1e-12));
  CHECK(ridge.c.isApprox(Eigen::Vector2d(1, 2.5), 1e-12));
}

TEST_CASE("The statistics hold the sums over the points, the count included") {
  const Data data{Eigen::MatrixXd{{0, 1, 1}, {1, 1, 0}}, Eigen::MatrixXd{{2, 3, 5}}};
  // Columns: (z z', sum z) for either input, (sum z, N), (sum z y, sum y).
  CHECK(statistics(data) == std::vector<double>{2, 1, 2, 1, 2, 2, 2, 2, 3, 8, 5, 10});
}

TEST_CASE("Regression from statistics agrees with a decomposition of the data") {
  RandomStream random(1);
  for (int i = 0; i < 100; ++i) {
    const Index L = 1 + static_cast<Index>(random.below(12));
    const Index m = 1 + static_cast<Index>(random.below(9));
    const Index N = 1 + static_cast<Index>(random.below(60)); // often fewer than inputs
    const Data data = random_points(L, m, N, random);
    const LinearMap expected = oracle(data);
    const LinearMap found = fit(data);
    INFO("L = " << L << ", m = " << m << ", N = " << N);
    CHECK((found.A - expected.A).norm() <= 1e-8 * (1 + expected.A.norm()));
    CHECK((found.c - expected.c).norm() <= 1e-8 * (1 + expected.c.norm()));
  }
}

TEST_CASE("Constant and equal bits share or lose their weight and leave a finite answer") {
  RandomStream random(2);
  Data data = random_points(6, 4, 200, random);
  data.Z.row(2).setOnes();
  data.Z.row(3).setZero();
  data.Z.row(5) = data.Z.row(0);
  data.Z.row(4) = 1 - data.Z.row(1).array();
  const LinearMap expected = oracle(data);
  const LinearMap found = fit(data);
  CHECK((found.A - expected.A).norm() < 1e-9);
  CHECK(found.A.col(2).norm() < 1e-12);
  CHECK(found.A.col(3).norm() < 1e-12);
  CHECK((found.A.col(5) - found.A.col(0)).norm() < 1e-10);
  CHECK((found.A.col(4) + found.A.col(1)).norm() < 1e-10);
  CHECK(error(data, found) == Approx(error(data, expected)));
}

TEST_CASE("A bit that is set in one point of very many is no constant bit") {
  // The statistics of N - 1 points (0, 0) or (0, 1), half of them each, and one point (1, 0). The
  // targets are 1 and, for the one point, 3.
  const double N = 1e8;
  std::vector<double> memory{1, 0, 1, 0, N / 2, N / 2, 1, N / 2, N, 3, N / 2, N - 1 + 3};
  const LinearMap map = LeastSquares(memory, 2, 1).solve();
  CHECK(map.A(0, 0) == Approx(2).epsilon(1e-6));
  CHECK(map.A(0, 1) == Approx(0).margin(1e-6));
  CHECK(map.c(0) == Approx(1).epsilon(1e-6));
}

TEST_CASE("One point is met by the bias, and no point gives zeros") {
  const LinearMap one = fit({Eigen::MatrixXd::Ones(3, 1), Eigen::MatrixXd::Constant(2, 1, 5)});
  CHECK(one.A.isZero(0));
  CHECK(one.c.isApprox(Eigen::Vector2d(5, 5)));
  for (const double ridge : {0.0, 1.0}) {
    const LinearMap none = fit({Eigen::MatrixXd(3, 0), Eigen::MatrixXd(2, 0)}, ridge);
    CHECK(none.A.isZero(0));
    CHECK(none.c.isZero(0));
  }
  const LinearMap means = fit({Eigen::MatrixXd(0, 2), Eigen::MatrixXd{{1, 3}}});
  CHECK(means.A.size() == 0);
  CHECK(means.c(0) == 2);
}

TEST_CASE("Statistics of parts add up to those of the whole") {
  RandomStream random(3);
  const Data data = random_points(5, 3, 90, random);
  const std::vector<double> whole = statistics(data);
  std::vector<double> sum(whole.size(), 0.0);
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 1}, {1, 49}, {50, 40}}) {
    const Data part{data.Z.middleCols(first, count), data.Y.middleCols(first, count)};
    const std::vector<double> some = statistics(part);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += some[i];
  }
  for (std::size_t i = 0; i < sum.size(); ++i) CHECK(sum[i] == Approx(whole[i]).margin(1e-12));

  std::vector<double> running(whole.size(), 0.0);
  LeastSquares view(running, 5, 3);
  view.accumulate(data.Z.leftCols(30), data.Y.leftCols(30));
  view.accumulate(data.Z.rightCols(60), data.Y.rightCols(60));
  CHECK(view.count() == 90);
  CHECK(error(data, view.solve()) == Approx(error(data, oracle(data))));
  view.clear();
  CHECK(view.count() == 0);
}

TEST_CASE("Inputs and outputs may come apart, as points or as sums") {
  RandomStream random(5);
  const Data data = random_points(4, 3, 50, random);
  const std::vector<double> whole = statistics(data);
  Eigen::MatrixXd lifted = Eigen::MatrixXd::Ones(5, 50);
  lifted.topRows(4) = data.Z;
  const Eigen::MatrixXd inputs = lifted * lifted.transpose();
  const Eigen::MatrixXd outputs = lifted * data.Y.transpose();

  std::vector<double> sums(whole.size(), 0.0);
  LeastSquares view(sums, 4, 3);
  view.add_inputs(inputs);
  view.add_outputs(outputs);
  for (std::size_t i = 0; i < sums.size(); ++i) CHECK(sums[i] == Approx(whole[i]).margin(1e-12));
  view.clear();
  view.accumulate_outputs(data.Z, data.Y);
  view.add_inputs(inputs);
  for (std::size_t i = 0; i < sums.size(); ++i) CHECK(sums[i] == Approx(whole[i]).margin(1e-12));

  CHECK_THROWS_AS(view.add_inputs(outputs), ShapeError);
  CHECK_THROWS_AS(view.add_outputs(inputs), ShapeError);
  CHECK_THROWS_AS(view.accumulate_outputs(data.Z, data.Z), ShapeError);
}

TEST_CASE("An output is fitted bit for bit the same alone as among others") {
  RandomStream random(4);
  for (const Index L : {1, 2, 5, 16, 33})
    for (const Index m : {1, 2, 3, 4, 7, 30}) {
      const Data data = random_points(L, m, 150, random);
      const LinearMap fused = fit(data, 0.1);
      for (Index first = 0; first < m;) {
        const Index count =
            1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(m - first)));
        const LinearMap part = fit({data.Z, data.Y.middleRows(first, count)}, 0.1);
        REQUIRE(part.A == fused.A.middleRows(first, count));
        REQUIRE(part.c == fused.c.segment(first, count));
        first += count;
      }
    }
}

TEST_CASE("What is no statistics is refused") {
  std::vector<double> memory(12, 0.0);
  CHECK(LeastSquares::size(2, 1) == 12);
  CHECK_THROWS_AS(LeastSquares(memory, 2, 2), ShapeError);
  CHECK_THROWS_AS(LeastSquares(memory, -3, 1), ConfigError);
  CHECK_THROWS_AS(LeastSquares::size(-1, 2), ConfigError);
  CHECK_THROWS_AS(LeastSquares::size(Index{1} << 40, 2), ConfigError);
  LeastSquares view(memory, 2, 1);
  CHECK_THROWS_AS(view.accumulate(Eigen::MatrixXd(3, 4), Eigen::MatrixXd(1, 4)), ShapeError);
  CHECK_THROWS_AS(view.accumulate(Eigen::MatrixXd(2, 4), Eigen::MatrixXd(1, 5)), ShapeError);
  CHECK_THROWS_AS(view.accumulate(Eigen::MatrixXd(2, 4), Eigen::MatrixXd(2, 4)), ShapeError);
  CHECK_THROWS_AS(view.solve(-1), ConfigError);
  memory[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(view.solve(), NumericalError);
}
