// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include "parmac/models/binary_autoencoder/bit_pair_sums.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;

TEST_CASE("Pairs of bits are counted as a product of matrices counts them") {
  RandomStream random(1);
  for (const Index L : {1, 2, 7, 8, 63, 64, 65, 130})
    for (const Index N : {0, 1, 63, 64, 65, 300, 4096, 4200}) {
      if (L * N > 300000) continue;
      PackedCodes Z(L, N);
      Eigen::MatrixXd lifted = Eigen::MatrixXd::Ones(L + 1, N);
      for (Index n = 0; n < N; ++n)
        for (Index l = 0; l < L; ++l) {
          Z.set(n, l, random.below(3) == 0);
          lifted(l, n) = Z.get(n, l) ? 1 : 0;
        }
      const Index first = N / 3;
      const auto part = lifted.rightCols(N - first);
      int calls = 0;
      const Eigen::MatrixXd sums = bit_pair_sums(Z, first, N - first, [&] { ++calls; });
      INFO("L = " << L << ", N = " << N);
      REQUIRE(sums == part * part.transpose());
      REQUIRE((calls > 0) == (N > 0));
    }
}

TEST_CASE("Codes that are not there are not counted") {
  const PackedCodes Z(3, 10);
  const auto nothing = [] {};
  CHECK_THROWS_AS(bit_pair_sums(Z, 5, 6, nothing), ShapeError);
  CHECK_THROWS_AS(bit_pair_sums(Z, -1, 2, nothing), ShapeError);
}
