// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <vector>

#include "parmac/retrieval/code_entropy.hpp"
#include "parmac/support/error.hpp"

#include "random_codes.hpp"

using namespace parmac;

TEST_CASE("The entropy of bucket counts is as computed by hand") {
  CHECK(entropy_bits(std::vector<Index>{3, 2, 1, 2}) == Approx(1.9056390622).epsilon(1e-10));
  CHECK(entropy_bits(std::vector<Index>{3, 0, 2, 1, 2}) == Approx(1.9056390622).epsilon(1e-10));
  CHECK(entropy_bits(std::vector<Index>{5, 5, 5, 5}) == Approx(2));
  CHECK(entropy_bits(std::vector<Index>{7}) == 0);
  CHECK(entropy_bits(std::vector<Index>{0}) == 0);
  CHECK(entropy_bits({}) == 0);
  CHECK_THROWS_AS(entropy_bits(std::vector<Index>{1, -1}), ConfigError);
}

TEST_CASE("The effective number of bits counts equal codes as one bucket") {
  // Buckets of 3, 2, 1 and 2 codes, the last two alike but for their last byte.
  const PackedCodes codes(12, 8,
                          {0x01, 0x00, 0xFF, 0x01, 0x01, 0x00, 0x07, 0x02, 0x07, 0x03, 0xFF, 0x01,
                           0x01, 0x00, 0x07, 0x03});
  CHECK(effective_bits(codes) == Approx(1.9056390622).epsilon(1e-10));
  CHECK(effective_bits(PackedCodes(12, 0)) == 0);
  CHECK(effective_bits(PackedCodes(129, 5)) == 0);
}

TEST_CASE("Codes that use all buckets alike have all their bits") {
  PackedCodes codes(3, 16);
  for (Index i = 0; i < 16; ++i) codes.row(i)[0] = static_cast<std::uint8_t>(i % 8);
  CHECK(effective_bits(codes) == Approx(3));
}
