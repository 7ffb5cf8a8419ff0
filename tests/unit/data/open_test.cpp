// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include "data_files.hpp"
#include "parmac/data/gzip.hpp"
#include "parmac/data/npy.hpp"
#include "parmac/data/open.hpp"
#include "parmac/data/vecs.hpp"
#include "parmac/support/random.hpp"

using namespace parmac;
using namespace parmac::tests;

namespace {

/// The same points in every layout, named as the layouts ask, plain and compressed.
std::vector<std::string> write_all(const TemporaryFolder& folder, const ByteMatrix& B) {
  const Eigen::MatrixXf X = B.cast<float>();
  write_fvecs(folder / "x.fvecs", X);
  write_bvecs(folder / "x.bvecs", B);
  write_npy(folder / "x.npy", X);
  write_npy(folder / "x.y.npy", B);
  const std::string images =
      idx({static_cast<std::uint32_t>(B.cols()), 1, static_cast<std::uint32_t>(B.rows())},
          {reinterpret_cast<const char*>(B.data()), static_cast<std::size_t>(B.size())});
  write_bytes(folder / "x.idx", images);
  write_bytes(folder / "train-images-idx3-ubyte", images);
  write_bytes(folder / "train-images.idx3-ubyte", images);
  std::vector<std::string> names{"x.fvecs",
                                 "x.bvecs",
                                 "x.npy",
                                 "x.y.npy",
                                 "x.idx",
                                 "train-images-idx3-ubyte",
                                 "train-images.idx3-ubyte"};
  for (std::size_t i = 0; i < 7; ++i) {
    names.push_back(names[i] + ".gz");
    write_bytes(folder / names.back(), gzip(read_bytes(folder / names[i])));
  }
  return names;
}

} // namespace

TEST_CASE("The name tells the layout, and every layout gives the same points") {
  TemporaryFolder folder;
  RandomStream random(1);
  for (const auto& [D, N] : std::vector<std::pair<Index, Index>>{{7, 23}, {1, 1}, {1, 5}, {9, 1}}) {
    const ByteMatrix B = random_bytes(random, D, N);
    for (const std::string& name : write_all(folder, B)) {
      INFO(name);
      const FileShape shape = describe(folder / name, gunzip);
      CHECK(shape.points == N);
      CHECK(shape.dimension == D);
      CHECK((shape.scalar == Scalar::float32) ==
            (contains(name, "fvecs") || contains(name, "x.npy")));
      const Points points = open_points(folder / name, {.inflate = gunzip});
      CHECK(points.scalar() == shape.scalar);
      CHECK(points.source() == (folder / name).string());
      CHECK(all_of(points) == B.cast<float>());
    }
  }
  CHECK(describe(folder / "x.fvecs").kind == FileKind::fvecs);
  CHECK(describe(folder / "x.bvecs").kind == FileKind::bvecs);
  CHECK(describe(folder / "x.npy").kind == FileKind::npy);
  CHECK(describe(folder / "x.idx.gz", gunzip).kind == FileKind::idx);
}

TEST_CASE("The parts of all machines are all points, each once") {
  TemporaryFolder folder;
  RandomStream random(2);
  const ByteMatrix B = random_bytes(random, 3, 10);
  for (const std::string& name : write_all(folder, B))
    for (const std::vector<double>& weights :
         {std::vector<double>{}, std::vector<double>{3, 0, 1, 6}}) {
      Eigen::MatrixXf X(3, 0);
      for (Index part = 0; part < 4; ++part) {
        const Points points = open_points(
            folder / name, {.part = part, .parts = 4, .weights = weights, .inflate = gunzip});
        CHECK(points.first() == X.cols());
        if (!weights.empty())
          CHECK(static_cast<double>(points.size()) == weights[static_cast<std::size_t>(part)]);
        Eigen::MatrixXf more(3, X.cols() + points.size());
        more << X, all_of(points);
        X = more;
      }
      CHECK(X == B.cast<float>());
    }
  CHECK(all_of(open_points(folder / "x.bvecs", {.share = Share{2, 5}})) ==
        B.middleCols(2, 5).cast<float>());
  CHECK(open_points(folder / "x.bvecs", {.part = 19, .parts = 20}).size() == 0);
}

TEST_CASE("Parts that contradict each other or are not there are refused") {
  TemporaryFolder folder;
  write_bvecs(folder / "x.bvecs", ByteMatrix::Zero(2, 5));
  const auto open = [&](const OpenOptions& options) {
    return open_points(folder / "x.bvecs", options);
  };
  CHECK_THROWS_AS(open({.part = 4, .parts = 4}), ConfigError);
  CHECK_THROWS_AS(open({.part = -1, .parts = 4}), ConfigError);
  CHECK_THROWS_AS(open({.parts = 0}), ConfigError);
  CHECK_THROWS_AS(open({.parts = 2, .weights = {1, 2, 3}}), ConfigError);
  CHECK_THROWS_AS(open({.parts = 2, .share = Share{0, 1}}), ConfigError);
  CHECK_THROWS_AS(open({.share = Share{0, 6}}), ShapeError);
}

TEST_CASE("A name that tells no layout is refused with those that do, and a guess") {
  TemporaryFolder folder;
  write_bytes(folder / "x.bin", record<char>({1, 2, 3}) + record<char>({1, 2, 3}));
  CHECK(says(message_of<DataError>([&] { return open_points(folder / "x.bin"); }),
             {"x.bin", ".fvecs", ".bvecs", ".npy", ".idx", "-ubyte", ".gz", "look like bvecs"}));
  write_ivecs(folder / "x.ivecs", Eigen::MatrixXi::Ones(2, 2));
  CHECK(says(message_of<DataError>([&] { return describe(folder / "x.ivecs"); }), {"read_ivecs"}));
  CHECK(says(message_of<DataError>([&] { return describe(folder / "x.npy"); }),
             {"x.npy cannot be read", "No such file"}));
}

TEST_CASE("A compressed file tells how to open it when nothing can unpack it") {
  TemporaryFolder folder;
  write_bytes(folder / "x.bvecs.gz", gzip(record<char>({1, 2})));
  CHECK(says(message_of<DataError>([&] { return open_points(folder / "x.bvecs.gz"); }),
             {"parmac/data/gzip.hpp", "parmac::zlib"}));
}
