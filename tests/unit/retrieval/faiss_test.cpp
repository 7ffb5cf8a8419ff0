// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <string>

#include "parmac/retrieval/faiss.hpp"
#include "parmac/support/error.hpp"

#include "temporary_folder.hpp"

using namespace parmac;

TEST_CASE("A faiss file has the bytes that faiss expects") {
  const tests::TemporaryFolder folder;
  // 12 bits are exported as 16.
  write_faiss_binary_flat(folder / "codes.faiss",
                          PackedCodes(12, 3, {0x01, 0x02, 0xFF, 0x0F, 0x80, 0x00}));

  const unsigned char expected[] = {'I',  'B',  'x',  'F',                   //
                                    16,   0,    0,    0,                     // bits
                                    2,    0,    0,    0,                     // bytes a code
                                    3,    0,    0,    0,    0,    0,   0, 0, // codes
                                    1,                                       // trained
                                    1,    0,    0,    0,                     // metric
                                    6,    0,    0,    0,    0,    0,   0, 0, // bytes that follow
                                    0x01, 0x02, 0xFF, 0x0F, 0x80, 0x00};
  CHECK(tests::read_bytes(folder / "codes.faiss") ==
        std::string(reinterpret_cast<const char*>(expected), sizeof expected));
}

TEST_CASE("A faiss file of no codes is a head alone") {
  const tests::TemporaryFolder folder;
  write_faiss_binary_flat(folder / "none.faiss", PackedCodes(64));
  CHECK(tests::read_bytes(folder / "none.faiss").size() == 33);
}

TEST_CASE("A faiss file that cannot be written is an error") {
  const tests::TemporaryFolder folder;
  CHECK_THROWS_AS(write_faiss_binary_flat(folder / "missing" / "codes.faiss", PackedCodes(8, 1)),
                  DataError);
  CHECK_THROWS_AS(write_faiss_binary_flat("/dev/full", PackedCodes(8, 1)), DataError);
}
