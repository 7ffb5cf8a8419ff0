// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cstring>
#include <numeric>
#include <vector>

#include "parmac/models/binary_autoencoder/bit_hinge.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;

namespace {

Eigen::MatrixXf random_matrix(Index rows, Index cols, RandomStream& random) {
  Eigen::MatrixXf M(rows, cols);
  for (Index i = 0; i < M.size(); ++i) M(i) = static_cast<float>(random.normal());
  return M;
}

PackedCodes random_codes(Index bits, Index count, RandomStream& random) {
  PackedCodes Z(bits, count);
  for (Index i = 0; i < count; ++i)
    for (Index l = 0; l < bits; ++l) Z.set(i, l, random.below(2) == 1);
  return Z;
}

} // namespace

TEST_CASE("SVMs learn from bits what they learn from signs, bit for bit, at any place in a code") {
  RandomStream random(1);
  for (int round = 0; round < 60; ++round) {
    const auto L = static_cast<Index>(1 + random.below(200));
    const auto first_bit = static_cast<Index>(random.below(static_cast<std::uint64_t>(L)));
    const auto m = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(L - first_bit)));
    const auto D = static_cast<Index>(1 + random.below(140));
    const auto B = static_cast<Index>(1 + random.below(110));
    const Index N = B + static_cast<Index>(random.below(50));
    const Eigen::MatrixXf points = random_matrix(D, N, random);
    const PackedCodes Z = random_codes(L, N, random);
    std::vector<Index> order(static_cast<std::size_t>(N));
    std::iota(order.begin(), order.end(), Index{0});
    random.shuffle(std::span<Index>(order));
    const Minibatch which{std::span<const Index>(order).first(static_cast<std::size_t>(B)), {}};

    const HingeUpdate update{.lambda = 1e-3, .bias_rate = 0.5};
    const Eigen::MatrixXf start = 0.1F * random_matrix(D + 1, m, random);
    Eigen::MatrixXf from_bits = start;
    BitHinge hinge(update, Z, first_bit);
    for (int step = 0; step < 3; ++step)
      hinge.step(from_bits, which, 0.1F, [&](const Minibatch& part, Eigen::Ref<Eigen::MatrixXf> X) {
        for (Index j = 0; j < X.cols(); ++j)
          X.col(j) = points.col(part[static_cast<std::size_t>(j)]);
      });

    Eigen::MatrixXf from_signs = start;
    Eigen::MatrixXf X(D, B);
    Eigen::MatrixXf Y(B, m);
    for (Index j = 0; j < B; ++j) {
      const Index n = which[static_cast<std::size_t>(j)];
      X.col(j) = points.col(n);
      for (Index l = 0; l < m; ++l) Y(j, l) = Z.get(n, first_bit + l) ? 1.0F : -1.0F;
    }
    for (int step = 0; step < 3; ++step) update.step(from_signs, X, Y, 0.1F);

    INFO("L = " << L << ", bits " << first_bit << " + " << m << ", D = " << D << ", B = " << B);
    REQUIRE(std::memcmp(from_bits.data(), from_signs.data(),
                        sizeof(float) * static_cast<std::size_t>(start.size())) == 0);
    REQUIRE((from_bits - start).norm() > 0);
  }
}

TEST_CASE("The parts of a minibatch follow each other without gaps, with what comes next") {
  const std::vector<Index> which = {5, 6, 7, 8, 9};
  const std::vector<Index> next = {1, 2, 3};
  const Minibatch whole{which, next};
  const Minibatch first = whole.part(0, 2);
  CHECK(std::vector<Index>(first.begin(), first.end()) == std::vector<Index>{5, 6});
  CHECK(std::vector<Index>(first.next.begin(), first.next.end()) == std::vector<Index>{1, 2});
  const Minibatch last = whole.part(2, 3);
  CHECK(std::vector<Index>(last.begin(), last.end()) == std::vector<Index>{7, 8, 9});
  CHECK(std::vector<Index>(last.next.begin(), last.next.end()) == std::vector<Index>{3});
  CHECK(whole.part(4, 1).next.empty());
}
