// SPDX-License-Identifier: BSL-1.0
//
// docs/howto/data.md: writes small files and reads them in the ways that there are. Run it as
//     data DATA      where DATA is the folder examples/data

#include <Eigen/Core>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "parmac/data/gzip.hpp"
#include "parmac/parmac.hpp"

int main(int argc, char** argv) {
  const std::string file = std::string(argc > 1 ? argv[1] : "examples/data") + "/sift_learn.bvecs";

  const parmac::FileShape shape = parmac::describe(file);
  std::cout << shape.points << " points of " << shape.dimension << " features\n";

  const parmac::Points all = parmac::open_points(file);
  const parmac::Points second_of_four = parmac::open_points(file, {.part = 1, .parts = 4});
  const parmac::Points weighted =
      parmac::open_points(file, {.part = 1, .parts = 3, .weights = {2, 1, 1}});
  const parmac::Points some = parmac::open_points(file, {.share = parmac::Share{100, 50}});
  parmac::require(second_of_four.first() == 2500 && second_of_four.size() == 2500, "a quarter");
  parmac::require(weighted.first() == 5000 && weighted.size() == 2500, "a share by weight");
  parmac::require(some.first() == 100 && some.size() == 50, "a share of one's own");

  Eigen::MatrixXf X(all.dimension(), 10);
  all.load(100, X); // points 100 .. 109, a point a column
  const std::vector<parmac::Index> which = {7, 3, 3};
  Eigen::MatrixXf picked(all.dimension(), 3);
  all.gather(which, picked);
  parmac::require(picked.col(1) == picked.col(2), "points by number");

  parmac::write_npy("points.npy", X);
  const parmac::Points again = parmac::open_points("points.npy", {.inflate = parmac::gunzip});
  parmac::require(again.scalar() == parmac::Scalar::float32 && again.size() == 10, "npy");

  const parmac::Points in_memory(X); // a matrix will do as well
  X(3, 2) = std::numeric_limits<float>::quiet_NaN();
  try {
    parmac::require_finite(parmac::Points(X));
    return 1;
  } catch (const parmac::DataError& error) {
    std::cout << error.what() << "\n";
  }
}
