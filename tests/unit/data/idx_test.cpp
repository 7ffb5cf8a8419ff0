// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include "data_files.hpp"
#include "parmac/data/idx.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("Images become points of rows * columns features, whole and by shares") {
  TemporaryFolder folder;
  write_bytes(folder / "images", idx({3, 2, 2}, "abcdefghijk\xFF"));
  const InputFile file(folder / "images");
  const Points points = open_idx(file);
  CHECK(points.size() == 3);
  CHECK(points.scalar() == Scalar::uint8);
  Eigen::MatrixXf X(4, 3);
  X << 'a', 'e', 'i', 'b', 'f', 'j', 'c', 'g', 'k', 'd', 'h', 255;
  CHECK(all_of(points) == X);
  CHECK(all_of(open_idx(file, Share{1, 2})) == X.rightCols(2));
  CHECK(open_idx(file, Share{1, 2}).first() == 1);
  CHECK(open_idx(file, Share{3, 0}).size() == 0);
  CHECK_THROWS_AS(open_idx(file, Share{2, 2}), ShapeError);

  write_bytes(folder / "rows", idx({2, 3}, "abcdef"));
  CHECK(open_idx(InputFile(folder / "rows")).dimension() == 3);
}

TEST_CASE("Only the images of the share are mapped") {
  TemporaryFolder folder;
  write_bytes(folder / "images", idx({5000, 16, 16}, std::string(5000 * 256, 'x')));
  const Points part = open_idx(InputFile(folder / "images"), Share{2000, 300});
  CHECK(mapped_bytes(folder / "images") >= 300 * 256);
  CHECK(mapped_bytes(folder / "images") <= 300 * 256 + 2 * 4096);
}

TEST_CASE("Labels are read, whole and by shares, and told apart from points") {
  TemporaryFolder folder;
  write_bytes(folder / "labels", idx({5}, {7, 2, 1, 0, '\xFF'}));
  const InputFile file(folder / "labels");
  CHECK(read_idx_labels(file) == std::vector<std::uint8_t>{7, 2, 1, 0, 255});
  CHECK(read_idx_labels(file, Share{1, 3}) == std::vector<std::uint8_t>{2, 1, 0});
  CHECK(says(message_of<DataError>([&] { return open_idx(file); }),
             {"one dimension", "read_idx_labels"}));
  write_bytes(folder / "images", idx({1, 2}, "ab"));
  CHECK(says(message_of<DataError>([&] { return read_idx_labels(InputFile(folder / "images")); }),
             {"2 dimensions", "labels have 1"}));
}

TEST_CASE("Files that are not as the idx layout says are refused with the numbers") {
  TemporaryFolder folder;
  const auto message = [&](const std::string& bytes) {
    write_bytes(folder / "x", bytes);
    return message_of<DataError>([&] { return open_idx(InputFile(folder / "x")); });
  };
  const std::string good = idx({3, 2, 2}, "abcdefghijkl");
  CHECK(says(message(good.substr(0, 20)), {"cut off", "4 bytes", "3 x 2 x 2"}));
  CHECK(says(message(good + "m"), {"too long", "13 bytes", "3 x 2 x 2"}));
  CHECK(says(message(good.substr(0, 10)), {"cut off in its idx header", "10 bytes of 16"}));
  CHECK(says(message(idx({3, 0, 2}, "")), {"size 0 in dimension 1"}));
  CHECK(says(message(idx({}, "")), {"0 dimensions"}));
  CHECK(says(message(idx({0x80000000, 0x80000000, 4}, "ab")), {"cut off"})); // wraps round to 0
  std::string floats = good;
  floats[2] = 0x0D;
  CHECK(says(message(floats), {"32-bit floats", "idx type 13", "unsigned bytes"}));
  floats[2] = 0x77;
  CHECK(says(message(floats), {"unknown type", "idx type 119"}));
  CHECK(says(message(record<char>({1, 2}) + record<char>({1, 2})),
             {"does not start like an idx file", "look like bvecs"}));
  CHECK(says(message(""), {"does not start like an idx file"}));
}
