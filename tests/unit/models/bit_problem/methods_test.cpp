// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "parmac/models/binary_autoencoder/bit_problem/enumerate.hpp"
#include "parmac/models/binary_autoencoder/bit_problem/sphere.hpp"
#include "random_problem.hpp"

using namespace parmac;
using namespace parmac::bit_problem;
using tests::random_problem;
using tests::RandomProblem;

TEST_CASE("The cost of a code is that of its reconstruction") {
  RandomStream random(1);
  for (const Index L : {1, 2, 7, 16, 63, 64, 65, 128, 200})
    for (int i = 0; i < (L < 20 ? 10 : 3); ++i) {
      const RandomProblem problem = random_problem(L, random);
      const Quadratic quadratic = Quadratic::of_decoder(problem.A);
      CHECK(quadratic.cost(problem.view(), problem.z) ==
            Approx(problem.cost(problem.z)).margin(1e-12 * problem.scale()));
    }
}

TEST_CASE("The factor of any decoder gives back its G") {
  RandomStream random(2);
  for (int i = 0; i < 200; ++i) {
    const RandomProblem problem = random_problem(1 + static_cast<Index>(random.below(20)), random);
    const Quadratic quadratic = Quadratic::of_decoder(problem.A);
    const Eigen::MatrixXd G = problem.A.transpose() * problem.A;
    const Eigen::MatrixXd& R = quadratic.factor();
    const Eigen::MatrixXd product = R.transpose() * R;
    std::vector<int> seen(static_cast<std::size_t>(R.cols()), 0);
    for (Index a = 0; a < R.cols(); ++a) {
      const Index l = quadratic.order()(a);
      ++seen[static_cast<std::size_t>(l)];
      for (Index b = 0; b < R.cols(); ++b) {
        const double shift = a == b ? quadratic.shift()(l) : 0.0;
        CHECK(product(a, b) - shift ==
              Approx(G(l, quadratic.order()(b))).margin(1e-12 * problem.scale()));
      }
    }
    CHECK(seen == std::vector<int>(seen.size(), 1));
  }
}

TEST_CASE("Enumeration finds the lowest cost that any code has") {
  RandomStream random(3);
  for (int i = 0; i < 300; ++i) {
    const Index L = 1 + static_cast<Index>(random.below(8));
    const RandomProblem problem = random_problem(L, random);
    const Quadratic quadratic = Quadratic::of_decoder(problem.A);
    double lowest = std::numeric_limits<double>::infinity();
    for (Word code = 0; code < Word{1} << L; ++code)
      lowest = std::min(lowest, problem.cost({code}));

    std::vector<Word> z = problem.z;
    const Solution found = Enumerate(quadratic).solve(problem.view(), z);

    CHECK(found.cost == Approx(lowest).margin(1e-12 * problem.scale()));
    CHECK(problem.cost(z) == Approx(lowest).margin(1e-12 * problem.scale()));
  }
}

TEST_CASE("Sphere decoding costs what enumeration costs, on every kind of problem") {
  RandomStream random(4);
  for (int i = 0; i < 3000; ++i) {
    // Long codes are rarer, since enumeration doubles with each bit.
    const Index L = i % 100 == 0 ? 13 + i / 100 % 4 : 1 + static_cast<Index>(random.below(10));
    const RandomProblem problem = random_problem(L, random);
    const Quadratic quadratic = Quadratic::of_decoder(problem.A);
    std::vector<Word> all = problem.z;
    std::vector<Word> searched = problem.z;

    const Solution exact = Enumerate(quadratic).solve(problem.view(), all);
    const Solution sphere = Sphere(quadratic).solve(problem.view(), searched);

    INFO("problem " << i << ", L = " << L << ", mu = " << problem.mu);
    REQUIRE(sphere.cost == Approx(exact.cost).margin(1e-11 * problem.scale()).epsilon(0));
    REQUIRE(sphere.cost == Approx(problem.cost(searched)).margin(1e-11 * problem.scale()));
    REQUIRE(sphere.proven);
  }
}

TEST_CASE("Alternation never ends above h or the present z, at any length") {
  RandomStream random(5);
  for (const Index L : {1, 2, 5, 16, 63, 64, 65, 100, 128, 256})
    for (int i = 0; i < (L < 20 ? 40 : 5); ++i) {
      const RandomProblem problem = random_problem(L, random);
      const Quadratic quadratic = Quadratic::of_decoder(problem.A);
      Alternate alternate(quadratic);
      std::vector<Word> z = problem.z;

      const Solution found = alternate.solve(problem.view(), z);

      const double margin = 1e-12 * problem.scale();
      CHECK(found.cost == Approx(problem.cost(z)).margin(margin));
      CHECK(found.cost <= problem.cost(problem.h) + margin);
      CHECK(found.cost <= problem.cost(problem.z) + margin);
      for (Index l = 0; l < L; l += 1 + L / 40) { // no single bit does better
        std::vector<Word> other = z;
        flip(other, l);
        CHECK(problem.cost(other) >= found.cost - margin);
      }
      std::vector<Word> clean = z;
      clear_padding(clean, L);
      CHECK(clean == z);

      std::vector<Word> again = z;
      CHECK(alternate.solve(problem.view(), again).cost == Approx(found.cost).margin(margin));
      CHECK(again == z);
    }
}

TEST_CASE("Once mu is above the reconstruction error of h, every method answers h") {
  RandomStream random(6);
  for (int i = 0; i < 500; ++i) {
    const Index L = 1 + static_cast<Index>(random.below(10));
    RandomProblem problem = random_problem(L, random);
    problem.mu = 0;
    const double error = problem.cost(problem.h) + problem.x.squaredNorm(); // B
    problem.mu = error * (1 + 1e-6) + 1e-9 * problem.scale();
    const Quadratic quadratic = Quadratic::of_decoder(problem.A);
    std::vector<Word> z = problem.z;

    Alternate(quadratic).solve(problem.view(), z);
    CHECK(z == problem.h);
    z = problem.z;
    Sphere(quadratic).solve(problem.view(), z);
    CHECK(z == problem.h);
    z = problem.z;
    Enumerate(quadratic).solve(problem.view(), z);
    CHECK(z == problem.h);
  }
}

TEST_CASE("A search with a budget of nodes says so and still gives a code's own cost") {
  RandomStream random(7);
  int unproven = 0;
  for (int i = 0; i < 300; ++i) {
    const RandomProblem problem = random_problem(12, random);
    const Quadratic quadratic = Quadratic::of_decoder(problem.A);
    std::vector<Word> exact = problem.z;
    std::vector<Word> alternating = problem.z;
    const double lowest = Enumerate(quadratic).solve(problem.view(), exact).cost;
    const double start = Alternate(quadratic).solve(problem.view(), alternating).cost;
    const double margin = 1e-11 * problem.scale();
    for (const std::uint64_t budget : {1U, 5U, 20U, 100U}) {
      Sphere sphere(quadratic, budget);
      std::vector<Word> z = problem.z;
      const Solution found = sphere.solve(problem.view(), z);
      CHECK(sphere.nodes() <= budget);
      CHECK(found.cost == Approx(problem.cost(z)).margin(margin));
      CHECK(found.cost >= lowest - margin);
      CHECK(found.cost <= start + margin);
      if (found.proven)
        CHECK(found.cost <= lowest + margin);
      else
        ++unproven;
    }
  }
  CHECK(unproven > 100);
}

TEST_CASE("A search without end is stopped by its budget, at 128 bits") {
  RandomStream random(8);
  RandomProblem problem = random_problem(128, random);
  problem.A = Eigen::MatrixXd::Random(3, 128); // three features say next to nothing on 128 bits
  problem.x = Eigen::VectorXd::Constant(3, 5);
  problem.t = problem.A.transpose() * problem.x;
  problem.mu = 1e-6;
  const Quadratic quadratic = Quadratic::of_decoder(problem.A);
  Sphere sphere(quadratic, 10000);
  std::vector<Word> z = problem.z;
  const Solution found = sphere.solve(problem.view(), z);
  CHECK_FALSE(found.proven);
  CHECK(sphere.nodes() == 10000);
  CHECK(found.cost == Approx(problem.cost(z)));
  CHECK(found.cost <= problem.cost(problem.h));
}

TEST_CASE("One object solves point after point as a new one would") {
  RandomStream random(9);
  const RandomProblem shared = random_problem(9, random);
  const Quadratic quadratic = Quadratic::of_decoder(shared.A);
  Alternate alternate(quadratic);
  Sphere sphere(quadratic);
  Enumerate enumerate(quadratic);
  for (int i = 0; i < 100; ++i) {
    RandomProblem problem = random_problem(9, random);
    problem.t = quadratic.diagonal() * random.uniform();
    const auto same = [&](auto& kept, auto fresh) {
      std::vector<Word> one = problem.z;
      std::vector<Word> two = problem.z;
      const double first = kept.solve(problem.view(), one).cost;
      CHECK(first == fresh.solve(problem.view(), two).cost);
      CHECK(one == two);
    };
    same(alternate, Alternate(quadratic));
    same(sphere, Sphere(quadratic));
    same(enumerate, Enumerate(quadratic));
  }
}

TEST_CASE("Bits beyond the length and codes that share memory with h do no harm") {
  RandomStream random(10);
  for (int i = 0; i < 100; ++i) {
    const RandomProblem problem = random_problem(10, random);
    const Quadratic quadratic = Quadratic::of_decoder(problem.A);
    RandomProblem dirty = problem;
    dirty.h[0] |= Word{0xABCD} << 40;
    const auto same = [&](auto method) {
      std::vector<Word> expected = problem.h;
      const double cost = method.solve(problem.view(), expected).cost;
      std::vector<Word> z = dirty.h;
      CHECK(method.solve(dirty.view(), z).cost == cost);
      CHECK(z == expected);
      RandomProblem shared = problem;
      CHECK(method.solve(shared.view(), shared.h).cost == cost);
      CHECK(shared.h == expected);
    };
    same(Alternate(quadratic));
    same(Sphere(quadratic));
    same(Enumerate(quadratic));
  }
}

TEST_CASE("What is no problem of this kind is refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(Quadratic(Eigen::MatrixXd(0, 0)), ShapeError);
  CHECK_THROWS_AS(Quadratic(Eigen::MatrixXd::Ones(2, 3)), ShapeError);
  CHECK_THROWS_AS(Quadratic(Eigen::MatrixXd::Constant(2, 2, nan)), NumericalError);
  CHECK_THROWS_AS(Quadratic(-Eigen::MatrixXd::Identity(2, 2)), NumericalError);
  CHECK_THROWS_AS(Quadratic(Eigen::MatrixXd{{1, 2}, {2, 1}}), NumericalError);

  const Quadratic long_code(Eigen::MatrixXd::Identity(21, 21));
  CHECK_THROWS_AS(Enumerate(long_code), ConfigError);

  const Quadratic quadratic(Eigen::MatrixXd::Identity(2, 2));
  Sphere sphere(quadratic);
  const std::vector<double> t{0.1, 0.2};
  const std::vector<double> unknown{0.1, nan};
  const std::vector<Word> h{1};
  const std::vector<Word> two_words{1, 0};
  std::vector<Word> z{2};
  CHECK_THROWS_AS(sphere.solve({{t.data(), 1}, 1, h}, z), ShapeError);
  CHECK_THROWS_AS(sphere.solve({t, 1, two_words}, z), ShapeError);
  CHECK_THROWS_AS(sphere.solve({t, -1, h}, z), ConfigError);
  CHECK_THROWS_AS(sphere.solve({t, nan, h}, z), ConfigError);
  CHECK_THROWS_AS(sphere.solve({t, std::numeric_limits<double>::infinity(), h}, z), NumericalError);
  CHECK_THROWS_AS(sphere.solve({unknown, 1, h}, z), NumericalError);
  std::vector<Word> wide{0, 0};
  CHECK_THROWS_AS(sphere.solve({t, 1, h}, wide), ShapeError);
  CHECK(z == std::vector<Word>{2});
}
