// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// How well the codes b_1 .. b_N (L bits as -1 and +1) of points with classes agree with them: the
/// sum over n of the mean over m of (b_n'b_m / L - y_nm)^2, y_nm being 1 within a class and
/// `different` between two. All N^2 pairs count, but only sums are kept: that of b b' and those of
/// b over each class, whole numbers and so exact; a flip is O(L), a new code O(L^2).
class Affinities {
public:
  using Code = Eigen::VectorXi; ///< L entries, -1 or +1

  /// No point. @throws ConfigError unless L >= 1.
  Affinities(Index L, double different)
      : L_(L), different_(different), products_(Eigen::MatrixXi::Zero(L, L)) {
    require(L >= 1, "codes of ", L, " bits; they need at least 1");
  }

  /// Counts a point in (`times` = 1) or out (-1). O(L^2)
  void add(const Code& b, std::uint8_t label, int times = 1) {
    products_ += times * b * b.transpose();
    sum_of_class(label) += times * b;
    count_of_class(label) += times;
    count_ += times;
  }

  [[nodiscard]] Index count() const { return count_; } ///< N

  /// What the codes lack. O(L^2 + classes L)
  [[nodiscard]] double objective() const {
    if (count_ == 0) return 0;
    const double L = static_cast<double>(L_);
    // sum of (b_n'b_m)^2, of y_nm b_n'b_m, and of y_nm^2 over all pairs
    const double squares = products_.cast<double>().squaredNorm();
    Eigen::VectorXd all = Eigen::VectorXd::Zero(L_);
    double within = 0;
    double pairs_within = 0;
    for (const Class& one : classes_) {
      all += one.sum.cast<double>();
      within += one.sum.cast<double>().squaredNorm();
      pairs_within += static_cast<double>(one.count) * static_cast<double>(one.count);
    }
    const double N = static_cast<double>(count_);
    const double mixed = within + different_ * (all.squaredNorm() - within);
    const double targets = pairs_within + different_ * different_ * (N * N - pairs_within);
    return (squares / (L * L) - 2 * mixed / L + targets) / N;
  }

  /// What `objective()` would change by if bit l of b flipped, b being the code of a point of this
  /// class that is not counted at present, and `count()` counting it, all the same. O(L)
  /// @param total sums over all classes, as `total()` gives them.
  [[nodiscard]] double change(const Code& b, std::uint8_t label, Index l, const Code& total) const {
    // A flip takes b_n'b_m to b_n'b_m - 2 b_l b_ml. Two ordered pairs each; the squares cancel.
    const double L = static_cast<double>(L_);
    const double N = static_cast<double>(count_ + 1);
    const double others = static_cast<double>(products_.col(l).dot(b) - products_(l, l) * b(l));
    const int own = label < classes_.size() ? classes_[label].sum(l) : 0;
    const double wanted = own + different_ * (total(l) - own);
    return 8 * b(l) * (L * wanted - others) / (N * L * L);
  }

  /// The sum of all codes.
  [[nodiscard]] Code total() const {
    Code sum = Code::Zero(L_);
    for (const Class& one : classes_) sum += one.sum;
    return sum;
  }

private:
  struct Class {
    Code sum;
    Index count = 0;
  };

  Class& class_at(std::uint8_t label) {
    while (classes_.size() <= label) classes_.push_back({Code::Zero(L_), 0});
    return classes_[label];
  }
  Code& sum_of_class(std::uint8_t label) { return class_at(label).sum; }
  Index& count_of_class(std::uint8_t label) { return class_at(label).count; }

  Index L_;
  double different_;
  Eigen::MatrixXi products_; // the sum of b b'
  std::vector<Class> classes_;
  Index count_ = 0;
};

} // namespace parmac
