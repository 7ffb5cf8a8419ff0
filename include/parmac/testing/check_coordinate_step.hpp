// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "parmac/core/coordinate_step.hpp"
#include "parmac/testing/broken_laws.hpp"

namespace parmac::testing {

namespace detail {

inline bool same_report(const CoordinateReport& a, const CoordinateReport& b) {
  return a.before == b.before && a.objective == b.objective && a.nested == b.nested &&
         a.violation == b.violation && a.changed == b.changed;
}

/// The laws of a CoordinateStep; see `check_coordinate_step`.
template <class Model, class Step, class Make>
class CoordinateLaws {
public:
  using Shard = typename Model::shard_type;

  CoordinateLaws(Model& model, Step& step, Make& make, double mu, double slack)
      : model_(model), step_(step), make_(make), mu_(mu), slack_(slack) {}

  std::vector<std::string> broken(Shard& empty) {
    laws_.attempt("update", [&] { updates(); });
    laws_.attempt("update of an empty shard", [&] {
      laws_.expect(same_report(update(empty), {}), "an empty shard reports something else than 0");
    });
    if constexpr (parmac::detail::HasProject<Step, Model>) {
      laws_.attempt("project", [&] { projects(); });
      laws_.attempt("project of an empty shard", [&] { project(empty); });
    }
    return std::move(laws_).sentences();
  }

private:
  CoordinateReport update(Shard& shard) {
    const std::string before = model_bytes();
    const CoordinateReport report = step_.update(std::as_const(model_), shard, mu_);
    laws_.expect(model_bytes() == before, "update changes the model");
    plausible("update", report, shard);
    laws_.expect(report.objective <= report.before + slack_ * std::abs(report.before),
                 "update makes the penalised objective rise: ", report.before, " before, ",
                 report.objective, " after");
    return report;
  }

  CoordinateReport project(Shard& shard) {
    const std::string before = model_bytes();
    const CoordinateReport report = step_.project(std::as_const(model_), shard);
    laws_.expect(model_bytes() == before, "project changes the model");
    plausible("project", report, shard);
    return report;
  }

  void updates() {
    Shard one = make_();
    Shard two = make_();
    laws_.expect(static_cast<std::size_t>(one.size()) > 0,
                 "the shard has no points; these checks need some");
    const CoordinateReport first = update(one);
    laws_.expect(same_report(first, update(two)) && same_coordinates(one, two),
                 "the same points and model give different coordinates when asked twice");
    const CoordinateReport next = update(one);
    laws_.expect(same_report(next, update(two)),
                 "the same points and model give different coordinates when asked twice");
    laws_.expect(near(next.before, first.objective), "update reports the objective ",
                 first.objective, " after it, but the next one finds ", next.before);
  }

  void projects() {
    Shard shard = make_();
    const CoordinateReport updated = update(shard);
    const CoordinateReport projected = project(shard);
    laws_.expect(projected.violation <= slack_ * (updated.violation + std::abs(updated.before)),
                 "after project the coordinates are not what the model says: the violation is ",
                 projected.violation);
    laws_.expect(near(projected.nested, updated.nested), "project reports the nested objective ",
                 projected.nested, ", update of the same model ", updated.nested);
    laws_.expect(project(shard).changed == 0, "a second project changes coordinates again");
  }

  void plausible(const char* what, const CoordinateReport& report, const Shard& shard) {
    for (const auto& [name, value] :
         {std::pair{"before", report.before}, std::pair{"objective", report.objective},
          std::pair{"nested", report.nested}, std::pair{"violation", report.violation},
          std::pair{"changed", report.changed}})
      laws_.expect(std::isfinite(value), what, " reports ", name, " = ", value,
                   ", which is not finite");
    laws_.expect(!(report.violation < 0), what, " reports a negative violation, ",
                 report.violation);
    const auto points = static_cast<double>(static_cast<std::size_t>(shard.size()));
    laws_.expect(!(report.changed < 0) && !(report.changed > points), what, " reports ",
                 report.changed, " changed points of ", points);
  }

  // Only where the user's shard can be compared is more known than what the reports say.
  static bool same_coordinates(const Shard& one, const Shard& two) {
    if constexpr (std::equality_comparable<Shard>)
      return one == two;
    else
      return true;
  }

  std::string model_bytes() {
    std::string bytes;
    for (const SubmodelRange kind : kinds_of(model_))
      bytes += travelling_bytes(model_, kind, false);
    return bytes;
  }

  bool near(double a, double b) const {
    return std::abs(a - b) <= slack_ * std::max(std::abs(a), std::abs(b));
  }

  Model& model_;
  Step& step_;
  Make& make_;
  double mu_;
  double slack_;
  BrokenLaws laws_;
};

} // namespace detail

/// Looks for broken laws of a user's CoordinateStep: the model is not changed, the penalised
/// objective does not rise, reports are finite and fit each other, the same points give the same
/// coordinates, an empty shard is nothing; and where there is `project`, afterwards the coordinates
/// are what the model says. Coordinates are compared where the shard has `==`, else by reports.
/// Costs some 10 Z steps.
/// @param make_shard gives a shard with points, in the same state whenever it is called.
/// @param empty a shard without points.
/// @param slack by how much sums may be off from rounding, relative to their size.
/// @returns a sentence a broken law; empty when all hold.
template <Submodels Model, class Step, class Make>
[[nodiscard]] std::vector<std::string>
check_coordinate_step(Model& model, Step& step, Make&& make_shard,
                      typename Model::shard_type& empty, double mu, double slack = 1e-5) {
  static_assert(parmac::check_coordinate_step<Step, Model>());
  return detail::CoordinateLaws<Model, Step, Make>(model, step, make_shard, mu, slack)
      .broken(empty);
}

} // namespace parmac::testing
