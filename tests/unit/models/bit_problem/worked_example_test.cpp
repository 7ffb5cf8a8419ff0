// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <array>
#include <vector>

#include "parmac/models/binary_autoencoder/bit_problem/enumerate.hpp"
#include "parmac/models/binary_autoencoder/bit_problem/sphere.hpp"

using namespace parmac::bit_problem;

namespace {

// A problem of three bits, small enough to do by hand.
struct Example {
  Eigen::Matrix3d A{{3, -1, 2}, {-1, -2, -1}, {1, 0, 2}};
  Eigen::Vector3d x{2, 1, 4};
  Eigen::Vector3d t = A.transpose() * x;
  std::vector<Word> h{0b001}; // (1,0,0): bit 0 is written first
  Quadratic quadratic = Quadratic::of_decoder(A);
  [[nodiscard]] PointProblem at(double mu) const { return {{t.data(), 3}, mu, h}; }
};

constexpr double constant = 21; // |x|^2
constexpr std::array<Word, 8> codes{0b000, 0b100, 0b010, 0b110, 0b001, 0b101, 0b011, 0b111};

} // namespace

TEST_CASE("The costs of all codes of a worked example are as computed by hand") {
  const Example example;
  const std::array<double, 3> mus{1, 2, 4};
  // Rows: the codes 000, 001, 010, ... written bit 0 first.
  const double costs[8][3] = {{22, 23, 25}, {10, 12, 16}, {36, 38, 42}, {24, 27, 33},
                              {14, 14, 14}, {20, 21, 23}, {26, 27, 29}, {32, 34, 38}};
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t m = 0; m < 3; ++m)
      CHECK(example.quadratic.cost(example.at(mus[m]), {&codes[c], 1}) + constant ==
            Approx(costs[c][m]));
}

TEST_CASE("The exact methods find the best code of a worked example from every start") {
  const Example example;
  Enumerate enumerate(example.quadratic);
  Sphere sphere(example.quadratic);
  const double expected[5][3] = {
      {1, 0b100, 10}, {2, 0b100, 12}, {4, 0b001, 14}, {10, 0b001, 14}, {20, 0b001, 14}};
  for (const auto& [mu, best, cost] : expected)
    for (const Word start : codes) {
      Word z = start;
      const Solution all = enumerate.solve(example.at(mu), {&z, 1});
      CHECK(z == static_cast<Word>(best));
      CHECK(all.cost + constant == Approx(cost));
      CHECK(all.proven);

      z = start;
      const Solution searched = sphere.solve(example.at(mu), {&z, 1});
      CHECK(z == static_cast<Word>(best));
      CHECK(searched.cost + constant == Approx(cost));
      CHECK(searched.proven);
    }
}

TEST_CASE("Alternation is stuck at h in the worked example and gets further from another start") {
  const Example example;
  Alternate alternate(example.quadratic);
  for (const double mu : {1.0, 2.0, 4.0, 10.0, 20.0}) {
    Word z = 0b001;
    const Solution stuck = alternate.solve(example.at(mu), {&z, 1});
    CHECK(z == 0b001);
    CHECK(stuck.cost + constant == Approx(14));
    CHECK_FALSE(stuck.proven);
  }
  for (const double mu : {1.0, 2.0}) {
    Word z = 0b100;
    CHECK(alternate.solve(example.at(mu), {&z, 1}).cost + constant == Approx(8 + 2 * mu));
    CHECK(z == 0b100);
  }
  Word z = 0b100; // at mu = 4 h is the better of the two ends
  CHECK(alternate.solve(example.at(4), {&z, 1}).cost + constant == Approx(14));
  CHECK(z == 0b001);
}

TEST_CASE("A tie between h and another code goes to h") {
  // One bit, G = 1, t = 1/2 and mu = 0: both values cost 0.
  const Quadratic quadratic(Eigen::MatrixXd::Ones(1, 1));
  const double t = 0.5;
  Enumerate enumerate(quadratic);
  Alternate alternate(quadratic);
  Sphere sphere(quadratic);
  for (const Word h : {Word{0}, Word{1}})
    for (const Word start : {Word{0}, Word{1}}) {
      const PointProblem problem{{&t, 1}, 0.0, {&h, 1}};
      Word z = start;
      CHECK(enumerate.solve(problem, {&z, 1}).cost == 0);
      CHECK(z == h);
      z = start;
      CHECK(alternate.solve(problem, {&z, 1}).cost == 0);
      CHECK(z == h);
      z = start;
      CHECK(sphere.solve(problem, {&z, 1}).cost == 0);
      CHECK(z == h);
    }
}
