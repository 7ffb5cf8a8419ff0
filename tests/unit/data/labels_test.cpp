// SPDX-License-Identifier: BSL-1.0
#include "data_files.hpp"

#include "parmac/data/labels.hpp"

using parmac::DataError;
using parmac::read_labels;
using namespace parmac::tests;

using Labels = std::vector<std::uint8_t>;

TEST_CASE("Labels are read from idx files and from plain bytes, whole or a part") {
  TemporaryFolder folder;
  write_bytes(folder / "labels.u8", std::string("\x03\x01\x00\xff\x07", 5));
  CHECK(read_labels(folder / "labels.u8") == Labels{3, 1, 0, 255, 7});
  CHECK(read_labels(folder / "labels.u8", {.part = 1, .parts = 2}).size() +
            read_labels(folder / "labels.u8", {.part = 0, .parts = 2}).size() ==
        5);
  CHECK(read_labels(folder / "labels.u8", {.share = parmac::Share{1, 2}}) == Labels{1, 0});
  const std::string idx = std::string("\0\0\x08\x01", 4) + big(3) + "\x05\x06\x07";
  write_bytes(folder / "labels-idx1-ubyte", idx);
  CHECK(read_labels(folder / "labels-idx1-ubyte") == Labels{5, 6, 7});
  CHECK(read_labels(folder / "labels-idx1-ubyte", {.share = parmac::Share{2, 1}}) == Labels{7});
}

TEST_CASE("Files that hold no labels are refused by name") {
  TemporaryFolder folder;
  write_bytes(folder / "none.u8", "");
  CHECK(says(message_of<DataError>([&] { return read_labels(folder / "none.u8"); }),
             {"none.u8 is empty", "a byte for every point"}));
  CHECK(says(message_of<DataError>([&] { return read_labels(folder / "absent.u8"); }),
             {"absent.u8"}));
  write_bytes(folder / "images.idx",
              std::string("\0\0\x08\x03", 4) + big(1) + big(1) + big(2) + "ab");
  CHECK(says(message_of<DataError>([&] { return read_labels(folder / "images.idx"); }),
             {"3 dimensions", "labels have 1"}));
  write_bytes(folder / "labels.u8", "abc");
  CHECK_THROWS_AS(read_labels(folder / "labels.u8", {.share = parmac::Share{2, 2}}),
                  parmac::ShapeError);
}
