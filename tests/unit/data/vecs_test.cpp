// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <limits>
#include <vector>

#include "data_files.hpp"
#include "parmac/data/vecs.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;
using namespace parmac::tests;

TEST_CASE("Hand-made records are read, a point a column") {
  TemporaryFolder folder;
  write_bytes(folder / "f", record<float>({1, -2.5F, 3}) + record<float>({4, 5, 6e10F}));
  const Points f = open_fvecs(InputFile(folder / "f"));
  CHECK(f.scalar() == Scalar::float32);
  CHECK(all_of(f) == (Eigen::MatrixXf(3, 2) << 1, 4, -2.5F, 5, 3, 6e10F).finished());

  write_bytes(folder / "b", record<char>({0, 127, '\xFF'}) + record<char>({1, 2, 3}));
  const Points b = open_bvecs(InputFile(folder / "b"));
  CHECK(b.scalar() == Scalar::uint8);
  CHECK(all_of(b) == (Eigen::MatrixXf(3, 2) << 0, 1, 127, 2, 255, 3).finished());

  write_bytes(folder / "i", record<int>({7, -1}) + record<int>({1 << 30, 0}));
  CHECK(read_ivecs(folder / "i") == (Eigen::MatrixXi(2, 2) << 7, 1 << 30, -1, 0).finished());
}

TEST_CASE("Records are written byte by byte as the layout says") {
  TemporaryFolder folder;
  write_fvecs(folder / "f", (Eigen::MatrixXf(2, 2) << 1, 3, 2, 4).finished());
  CHECK(read_bytes(folder / "f") == record<float>({1, 2}) + record<float>({3, 4}));
  write_bvecs(folder / "b", (ByteMatrix(2, 2) << 1, 3, 2, 255).finished());
  CHECK(read_bytes(folder / "b") == record<char>({1, 2}) + record<char>({3, '\xFF'}));
  write_ivecs(folder / "i", (Eigen::MatrixXi(2, 2) << 1, 3, 2, -4).finished());
  CHECK(read_bytes(folder / "i") == record<int>({1, 2}) + record<int>({3, -4}));
  const Eigen::MatrixXf X = Eigen::MatrixXf::Random(5, 6);
  write_fvecs(folder / "part", X.block(1, 2, 3, 4)); // rows that are not the whole columns
  CHECK(all_of(open_fvecs(InputFile(folder / "part"))) == X.block(1, 2, 3, 4));
}

TEST_CASE("What is written is read again, of all sizes, whole and by shares") {
  TemporaryFolder folder;
  RandomStream random(1);
  for (int round = 0; round < 60; ++round) {
    const auto D = static_cast<Index>(1 + random.below(round % 3 == 0 ? 1 : 50));
    const auto N = static_cast<Index>(1 + random.below(round % 4 == 0 ? 1 : 30));
    const ByteMatrix B = random_bytes(random, D, N);
    const Eigen::MatrixXf X = B.cast<float>() / 7;
    const Eigen::MatrixXi K = B.cast<int>().array() - 100;
    write_bvecs(folder / "b", B);
    write_fvecs(folder / "f", X);
    write_ivecs(folder / "i", K);
    CHECK(read_ivecs(folder / "i") == K);
    const auto parts = static_cast<Index>(1 + random.below(7)); // some shares are empty
    for (Index part = 0; part < parts; ++part) {
      const Share share = even_share(N, parts, part);
      const Points b = open_bvecs(InputFile(folder / "b"), share);
      CHECK(b.first() == share.first);
      CHECK(b.dimension() == D);
      CHECK(all_of(b) == B.middleCols(share.first, share.count).cast<float>());
      CHECK(all_of(open_fvecs(InputFile(folder / "f"), share)) ==
            X.middleCols(share.first, share.count));
      CHECK(read_ivecs(folder / "i", share) == K.middleCols(share.first, share.count));
    }
  }
}

TEST_CASE("Only the bytes of the share are mapped") {
  TemporaryFolder folder;
  write_bvecs(folder / "b", ByteMatrix::Zero(124, 10000)); // 128 bytes a record
  const Points part = open_bvecs(InputFile(folder / "b"), Share{5000, 500});
  const Index pages = mapped_bytes(folder / "b");
  CHECK(pages >= 500 * 128);
  CHECK(pages <= 500 * 128 + 2 * 4096);
}

TEST_CASE("A record of another dimension is named where the share holds it") {
  TemporaryFolder folder;
  std::string bytes;
  for (int n = 0; n < 9; ++n) bytes += record<char>(std::vector<char>(n == 6 ? 3 : 8, 'x'));
  bytes += std::string(5, 'x'); // the size is that of nine records of 8
  write_bytes(folder / "b", bytes);
  const InputFile file(folder / "b");
  CHECK(says(message_of<DataError>([&] { return open_bvecs(file); }),
             {"b: record 6 has dimension 3", "record 0 has 8"}));
  CHECK_NOTHROW(open_bvecs(file, Share{0, 6}));
  CHECK_THROWS_AS(open_bvecs(file, Share{6, 1}), DataError);

  write_bytes(folder / "odd", record<char>({1, 2, 3}) + record<char>({1, 2, 3, 4}));
  CHECK(says(message_of<DataError>([&] { return open_bvecs(InputFile(folder / "odd")); }),
             {"record 1 has dimension 4", "record 0 has 3"}));
}

TEST_CASE("A file that is cut off is refused with the record and both numbers") {
  TemporaryFolder folder;
  const std::string whole = record<float>({1, 2, 3}) + record<float>({4, 5, 6});
  const auto message = [&](std::size_t size) {
    write_bytes(folder / "f", whole.substr(0, size));
    return message_of<DataError>([&] { return open_fvecs(InputFile(folder / "f")); });
  };
  CHECK(says(message(31), {"record 1 is cut off:", "15 bytes are left of 16"}));
  CHECK(says(message(19), {"record 1 is cut off in its header", "3 bytes are left of 16"}));
  CHECK(says(message(7), {"record 0 is cut off:", "7 bytes are left of 16"}));
  CHECK(says(message(2), {"record 0 is cut off in its header", "2 bytes are left of 4"}));
  CHECK(says(message(0), {"is empty"}));
}

TEST_CASE("Dimensions that cannot be are refused") {
  TemporaryFolder folder;
  for (const int D :
       {0, -1, 1000001, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    write_bytes(folder / "f", little(D) + std::string(100, '\0'));
    CHECK(says(message_of<DataError>([&] { return open_fvecs(InputFile(folder / "f")); }),
               {"record 0 has dimension " + std::to_string(D), "1 to 1000000"}));
  }
}

TEST_CASE("A file of another layout is refused with a word on what it looks like") {
  TemporaryFolder folder;
  const auto fvecs_message = [&](const std::string& bytes) {
    write_bytes(folder / "x", bytes);
    return message_of<DataError>([&] { return open_fvecs(InputFile(folder / "x")); });
  };
  std::string bytes;
  for (int n = 0; n < 10; ++n) bytes += record<char>(std::vector<char>(128, 'x'));
  CHECK(says(fvecs_message(bytes), {"look like bvecs"}));

  bytes.clear(); // two records of bvecs, and something else
  for (int n = 0; n < 2; ++n) bytes += record<char>(std::vector<char>(8, 'x'));
  CHECK_FALSE(contains(fvecs_message(bytes + std::string(24, 'x')), "look like"));

  bytes.clear();
  for (int n = 0; n < 10; ++n) bytes += record<float>(std::vector<float>(8, 1.5F));
  write_bytes(folder / "y", bytes);
  CHECK(says(message_of<DataError>([&] { return open_bvecs(InputFile(folder / "y")); }),
             {"look like fvecs or ivecs"}));

  bytes.clear(); // the float 128 where a dimension should be, as somebody once wrote it
  for (int n = 0; n < 30; ++n) bytes += little(128.0F);
  CHECK(says(fvecs_message(bytes), {"dimension 1124073472", "float32 numbers without any header"}));

  CHECK(
      says(fvecs_message(little(5) + little(3) + std::string(5 * 3 * 4, 'x')), {"look like fbin"}));
  CHECK(says(fvecs_message(little(5) + little(3) + std::string(5 * 3, 'x')), {"look like u8bin"}));
  CHECK(says(fvecs_message(npy("{}", "")), {"look like npy"}));
  CHECK(says(fvecs_message(idx({1, 2, 3}, "abcdef")), {"look like idx"}));
  CHECK(says(fvecs_message("1.5,2.5,3.5\n1,2,3\n"), {"look like text"}));
}

TEST_CASE("A share that the file does not have is refused") {
  TemporaryFolder folder;
  write_bvecs(folder / "b", ByteMatrix::Zero(2, 5));
  const InputFile file(folder / "b");
  CHECK_THROWS_AS(open_bvecs(file, Share{3, 3}), ShapeError);
  CHECK_THROWS_AS(open_bvecs(file, Share{-1, 3}), ShapeError);
  CHECK_THROWS_AS(open_bvecs(file, Share{0, -1}), ShapeError);
  CHECK(says(message_of<ShapeError>([&] {
               return open_bvecs(file, Share{6, 0});
             }),
             {"b has 5 points", "from point 6"}));
  CHECK(open_bvecs(file, Share{5, 0}).size() == 0);
}

TEST_CASE("Nothing that could not be read again is written") {
  TemporaryFolder folder;
  CHECK_THROWS_AS(write_fvecs(folder / "f", Eigen::MatrixXf(0, 3)), ShapeError);
  CHECK_THROWS_AS(write_fvecs(folder / "f", Eigen::MatrixXf(3, 0)), ShapeError);
  CHECK_THROWS_AS(write_bvecs(folder / "f", ByteMatrix(1000001, 1)), ShapeError);
  CHECK_FALSE(std::filesystem::exists(folder / "f"));
}
