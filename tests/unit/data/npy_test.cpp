// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <locale>

#include "data_files.hpp"
#include "parmac/data/npy.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

const std::string six_floats =
    little(1.F) + little(2.F) + little(3.F) + little(4.F) + little(5.F) + little(6.F);

/// As text with a comma for a decimal point and dots between thousands.
struct CommaNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

} // namespace

TEST_CASE("An array is written as numpy writes it") {
  TemporaryFolder folder;
  write_npy(folder / "a", (Eigen::MatrixXf(2, 3) << 1, 3, 5, 2, 4, 6).finished());
  // The bytes of numpy.save("a", numpy.float32([[1, 2], [3, 4], [5, 6]])), numpy 1.24.
  std::string words = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
  words.resize(128 - 10 - 1, ' ');
  CHECK(read_bytes(folder / "a") == npy(words + "\n", six_floats));
  write_npy(folder / "u", (ByteMatrix(2, 1) << 7, 255).finished());
  words = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2), }";
  words.resize(128 - 10 - 1, ' ');
  CHECK(read_bytes(folder / "u") == npy(words + "\n", "\x07\xFF"));
}

TEST_CASE("Arrays are read of all three versions, with keys in any order and spacing") {
  TemporaryFolder folder;
  const Eigen::MatrixXf X = (Eigen::MatrixXf(2, 3) << 1, 3, 5, 2, 4, 6).finished();
  for (const char version : {'\1', '\2', '\3'})
    for (const std::string words :
         {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }         \n",
          "{'shape':(3,2),'descr':'<f4','fortran_order':False}",
          "  { \"fortran_order\" : False ,\n 'shape' : ( 3L , 2L , ) , \"descr\" : \"<f4\" , "
          "}\n\n"}) {
      write_bytes(folder / "a", npy(words, six_floats, version));
      CHECK(all_of(open_npy(InputFile(folder / "a"))) == X);
    }
  // Longer than the two bytes of version 1 can say, and at the odd address 80003.
  const std::string words = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}";
  write_bytes(folder / "a", npy(words + std::string(79991 - words.size(), ' '), six_floats, 2));
  CHECK(all_of(open_npy(InputFile(folder / "a"))) == X);
}

TEST_CASE("Arrays in C and in Fortran order give the same points, whole and by shares") {
  TemporaryFolder folder;
  RandomStream random(1);
  for (int round = 0; round < 40; ++round) {
    const auto D = static_cast<Index>(1 + random.below(round % 3 == 0 ? 1 : 20));
    const auto N = static_cast<Index>(1 + random.below(round % 4 == 0 ? 1 : 600));
    const ByteMatrix B = random_bytes(random, D, N);
    const Eigen::MatrixXf X = B.cast<float>() / 3;
    write_npy(folder / "cf", X);
    write_npy(folder / "cu", B);
    const auto fortran = [&](const std::string& dtype, const auto& matrix) {
      using Value = typename std::decay_t<decltype(matrix)>::Scalar;
      std::string data;
      for (Index d = 0; d < D; ++d)
        for (Index n = 0; n < N; ++n)
          data.append(reinterpret_cast<const char*>(&matrix(d, n)), sizeof(Value));
      return npy(
          text("{'descr': '", dtype, "', 'fortran_order': True, 'shape': (", N, ", ", D, "), }\n"),
          data);
    };
    write_bytes(folder / "ff", fortran("<f4", X));
    write_bytes(folder / "fu", fortran("|u1", B));
    const auto parts = static_cast<Index>(1 + random.below(5));
    for (Index part = 0; part < parts; ++part) {
      const Share share = even_share(N, parts, part);
      for (const char* name : {"cf", "ff"}) {
        const Points points = open_npy(InputFile(folder / name), share);
        CHECK(points.first() == share.first);
        CHECK(points.scalar() == Scalar::float32);
        CHECK(all_of(points) == X.middleCols(share.first, share.count));
      }
      for (const char* name : {"cu", "fu"}) {
        const Points points = open_npy(InputFile(folder / name), share);
        CHECK(points.scalar() == Scalar::uint8);
        CHECK(all_of(points) == B.middleCols(share.first, share.count).cast<float>());
      }
    }
  }
}

TEST_CASE(
    "Of an array in C order only the bytes of the share are mapped, in Fortran order none stay") {
  TemporaryFolder folder;
  write_npy(folder / "c", ByteMatrix::Zero(128, 10000));
  const Points part = open_npy(InputFile(folder / "c"), Share{5000, 500});
  CHECK(mapped_bytes(folder / "c") >= 500 * 128);
  CHECK(mapped_bytes(folder / "c") <= 500 * 128 + 2 * 4096);
  write_bytes(folder / "f", npy("{'descr': '|u1', 'fortran_order': True, 'shape': (10000, 128)}",
                                std::string(1280000, 'x')));
  const Points copied = open_npy(InputFile(folder / "f"), Share{5000, 500});
  CHECK(mapped_bytes(folder / "f") == 0);
}

TEST_CASE("Arrays of other types and dimensions are refused by what was found and what is wanted") {
  TemporaryFolder folder;
  const auto message = [&](const std::string& words) {
    write_bytes(folder / "a", npy(words, six_floats));
    return message_of<DataError>([&] { return open_npy(InputFile(folder / "a")); });
  };
  const auto of_type = [&](const std::string& dtype) {
    return message("{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (3, 2), }");
  };
  for (const char* dtype : {"<f8", ">f4", "<i4", "|b1", "<f2"})
    CHECK(says(of_type(dtype), {std::string("'") + dtype + "'", "(3, 2)", "'<f4'", "'|u1'"}));
  CHECK(says(message("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,), }"),
             {"structured", "'<f4'"}));
  const auto of_shape = [&](const std::string& shape) {
    return message("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }");
  };
  CHECK(says(of_shape("(6,)"), {"1-dimensional", "(6,)", "2-dimensional"}));
  CHECK(says(of_shape("(1, 3, 2)"), {"3-dimensional", "(1, 3, 2)"}));
  CHECK(says(of_shape("()"), {"0-dimensional", "()"}));
  CHECK(says(of_shape("(0, 2)"), {"(0, 2)", "at least 1"}));
  CHECK(says(of_shape("(3, 0)"), {"(3, 0)", "at least 1"}));
  CHECK(says(of_shape("(3, 3)"), {"cut off", "(3, 3)", "24 bytes"}));
  CHECK(says(of_shape("(2, 2)"), {"8 bytes behind", "(2, 2)"}));
  CHECK(says(of_shape("(4611686018427387904, 4)"), {"cut off"})); // the product wraps round to 0
  CHECK(says(of_shape("(99999999999999999999, 4)"), {"damaged", "size"}));
}

TEST_CASE("A header that is no such dictionary is refused") {
  TemporaryFolder folder;
  for (const std::string words : {
           "",
           "{",
           "{}",
           "[]",
           "{'descr'",
           "{'descr': ",
           "{'descr': '<f4",
           "{'descr': '<f4'",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4', 'fortran_order': false, 'shape': (3, 2)}",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3, -2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2.0)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': [3, 2]}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2",
           "{'descr': '<f4' 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)} x",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), 'more': 1}",
           "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}",
           "{'descr': '<f4\", 'fortran_order': False, 'shape': (3, 2)}",
       }) {
    INFO(words);
    write_bytes(folder / "a", npy(words, six_floats));
    CHECK(says(message_of<DataError>([&] { return open_npy(InputFile(folder / "a")); }),
               {"a", "npy"}));
  }
  const std::string good =
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}", six_floats);
  const auto message = [&](const std::string& bytes) {
    write_bytes(folder / "a", bytes);
    return message_of<DataError>([&] { return open_npy(InputFile(folder / "a")); });
  };
  CHECK(says(message(good.substr(0, 40)), {"cut off in its npy header", "40 bytes of 67"}));
  CHECK(says(message(good.substr(0, 9)), {"cut off in its npy header"}));
  CHECK(says(message(good.substr(0, 6)), {"cut off in its npy header"}));
  CHECK(says(message(""), {"does not start like an npy file"}));
  CHECK(says(message(record<float>({1, 2}) + record<float>({1, 2})),
             {"does not start like an npy file", "look like fvecs or ivecs"}));
  std::string other = good;
  other[6] = 4;
  CHECK(says(message(other), {"version 4", "1, 2 and 3"}));
}

TEST_CASE("Rows are written block by block, and the file appears when it is complete") {
  TemporaryFolder folder;
  RandomStream random(2);
  const ByteMatrix B = random_bytes(random, 6, 10);
  {
    NpyWriter file(folder / "a", 10, 6, Scalar::uint8);
    file.append(B.leftCols(3));
    file.append(std::span(B.data() + 3 * 6, 2 * 6));
    file.append(std::span<const std::uint8_t>());
    file.append(B.rightCols(5));
    CHECK_FALSE(std::filesystem::exists(folder / "a"));
    file.commit();
  }
  CHECK(all_of(open_npy(InputFile(folder / "a"))) == B.cast<float>());

  write_npy(folder / "b", B);
  CHECK(read_bytes(folder / "a") == read_bytes(folder / "b"));
  write_npy(folder / "c", std::span(B.data(), 60), 6);
  CHECK(read_bytes(folder / "c") == read_bytes(folder / "b"));
}

TEST_CASE("A writer refuses rows that do not fit, and to end too soon") {
  TemporaryFolder folder;
  const ByteMatrix B = ByteMatrix::Zero(6, 3);
  NpyWriter file(folder / "a", 4, 6, Scalar::uint8);
  file.append(B);
  CHECK(says(message_of<ShapeError>([&] { file.commit(); }), {"4 rows", "3 were written"}));
  CHECK(says(message_of<ShapeError>([&] { file.append(B); }), {"4 rows", "after 3", "room for 3"}));
  CHECK_THROWS_AS(file.append(B.topRows(5)), ShapeError);
  CHECK_THROWS_AS(file.append(std::span(B.data(), 5)), ShapeError);
  CHECK_THROWS_AS(file.append(Eigen::MatrixXf(6, 1)), ShapeError);
  file.append(B.leftCols(1));
  CHECK_NOTHROW(file.commit());
  CHECK_THROWS_AS(NpyWriter(folder / "b", -1, 6, Scalar::uint8), ShapeError);
  CHECK_THROWS_AS(NpyWriter(folder / "b", 3, 0, Scalar::uint8), ShapeError);
  CHECK_THROWS_AS(write_npy(folder / "b", std::span(B.data(), 18), 0), ShapeError);
  CHECK_THROWS_AS(write_npy(folder / "b", std::span(B.data(), 18), 5), ShapeError);
  CHECK_FALSE(std::filesystem::exists(folder / "b"));
}

TEST_CASE("Headers are written and read the same where numbers are written with commas") {
  TemporaryFolder folder;
  const ByteMatrix B = ByteMatrix::Zero(2, 1234567);
  write_npy(folder / "classic", B);
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaNumbers));
  write_npy(folder / "comma", B);
  const Index N = open_npy(InputFile(folder / "comma")).size();
  std::locale::global(before);
  CHECK(N == 1234567);
  CHECK(read_bytes(folder / "comma") == read_bytes(folder / "classic"));
}
