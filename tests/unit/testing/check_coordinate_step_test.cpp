// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "parmac/testing/archetypes.hpp"
#include "parmac/testing/check_coordinate_step.hpp"

using namespace parmac;

namespace {

enum class Mistake {
  none,
  changes_the_model,
  rises,
  not_finite,
  remembers,
  hidden_difference,
  wrong_before,
  points_from_nothing,
  too_many_changed,
  negative_violation,
  project_elsewhere,
  project_changes_the_model,
  project_reports_another_nested,
  project_moves_on,
};

struct Points {
  std::vector<double> x;
  std::vector<double> z = std::vector<double>(x.size(), 0.0);
  [[nodiscard]] std::size_t size() const { return x.size(); }
  bool operator==(const Points&) const = default;
};

// x is rebuilt as w1 z, and z is tied to w0 x.
struct Line {
  using shard_type = Points;
  std::vector<double> w{0.5, 1.5};
  [[nodiscard]] std::size_t size() const { return 2; }
  std::span<double> parameters(SubmodelRange range) {
    return std::span(w).subspan(range.first, range.size());
  }
  void train(SubmodelRange, const Points&, const Visit&) {}
};

// The exact minimum over z of (x - w1 z)^2 + mu (z - w0 x)^2, with a choice of mistakes.
class LineStep {
public:
  explicit LineStep(Mistake mistake) : mistake_(mistake) {}

  CoordinateReport update(const Line& model, Points& shard, double mu) {
    if (is(Mistake::changes_the_model)) disturb(model);
    CoordinateReport report{.before = objective(model, shard, mu)};
    if (is(Mistake::wrong_before)) report.before += 1;
    for (std::size_t n = 0; n < shard.size(); ++n) {
      double& z = shard.z[n];
      const double better =
          (model.w[1] * shard.x[n] + mu * model.w[0] * shard.x[n]) / (model.w[1] * model.w[1] + mu);
      report.changed += better != z ? 1 : 0;
      z = is(Mistake::rises) ? z + 10 : better;
      if (is(Mistake::remembers)) z += 1e-3 * ++calls_;
      if (is(Mistake::hidden_difference)) z = ++calls_ > 4 ? -z : z; // the second shard differs
    }
    report.objective = objective(model, shard, mu);
    report.nested = nested(model, shard);
    report.violation = violation(model, shard);
    if (is(Mistake::hidden_difference)) report = {.before = 4, .objective = 4};
    if (is(Mistake::not_finite)) report.nested = std::numeric_limits<double>::quiet_NaN();
    if (is(Mistake::points_from_nothing)) report.objective = report.before = 1;
    if (is(Mistake::too_many_changed)) report.changed += 2;
    if (is(Mistake::negative_violation)) report.violation = -1;
    return report;
  }

  CoordinateReport project(const Line& model, Points& shard) {
    if (is(Mistake::project_changes_the_model)) disturb(model);
    CoordinateReport report;
    for (std::size_t n = 0; n < shard.size(); ++n) {
      const double said = model.w[0] * shard.x[n] + (is(Mistake::project_elsewhere) ? 0.1 : 0);
      report.changed += shard.z[n] != said || is(Mistake::project_moves_on) ? 1 : 0;
      shard.z[n] = said;
    }
    report.before = report.objective = report.nested = nested(model, shard);
    if (is(Mistake::project_reports_another_nested)) report.nested *= 2;
    report.violation = violation(model, shard);
    return report;
  }

private:
  static double square(double a) { return a * a; }
  static double violation(const Line& model, const Points& shard) {
    double sum = 0;
    for (std::size_t n = 0; n < shard.size(); ++n)
      sum += square(shard.z[n] - model.w[0] * shard.x[n]);
    return sum;
  }
  static double objective(const Line& model, const Points& shard, double mu) {
    double sum = mu * violation(model, shard);
    for (std::size_t n = 0; n < shard.size(); ++n)
      sum += square(shard.x[n] - model.w[1] * shard.z[n]);
    return sum;
  }
  static double nested(const Line& model, const Points& shard) {
    double sum = 0;
    for (const double x : shard.x) sum += square(x - model.w[1] * model.w[0] * x);
    return sum;
  }
  static void disturb(const Line& model) { const_cast<Line&>(model).w[1] += 0.01; }
  [[nodiscard]] bool is(Mistake mistake) const { return mistake_ == mistake; }

  Mistake mistake_;
  int calls_ = 0;
};

std::vector<std::string> broken_by(Mistake mistake) {
  Line model;
  LineStep step(mistake);
  Points empty{{}};
  return testing::check_coordinate_step(
      model, step,
      [] {
        return Points{{1, -2, 3, 0.5}};
      },
      empty, 0.7);
}

} // namespace

TEST_CASE("No law is broken by a coordinate step that keeps them all") {
  CHECK(broken_by(Mistake::none) == std::vector<std::string>{});

  testing::LeastSubmodels model(2);
  testing::LeastCoordinateStep<testing::LeastSubmodels> step(0);
  testing::LeastShard empty(0);
  CHECK(testing::check_coordinate_step(
            model, step, [] { return testing::LeastShard(3); }, empty, 1.0) ==
        std::vector<std::string>{});
}

TEST_CASE("Each broken law of a coordinate step is told in words") {
  const std::map<Mistake, std::string> words{
      {Mistake::changes_the_model, "update changes the model"},
      {Mistake::rises, "objective rise"},
      {Mistake::not_finite, "nested = nan"},
      {Mistake::remembers, "when asked twice"},
      {Mistake::hidden_difference, "when asked twice"},
      {Mistake::wrong_before, "but the next one finds"},
      {Mistake::points_from_nothing, "an empty shard reports"},
      {Mistake::too_many_changed, "changed points of 4"},
      {Mistake::negative_violation, "negative violation"},
      {Mistake::project_elsewhere, "not what the model says"},
      {Mistake::project_changes_the_model, "project changes the model"},
      {Mistake::project_reports_another_nested, "nested objective"},
      {Mistake::project_moves_on, "second project"},
  };
  for (const auto& [mistake, expected] : words) {
    const std::vector<std::string> sentences = broken_by(mistake);
    INFO("expected: " << expected);
    bool told = false;
    for (const std::string& sentence : sentences) {
      UNSCOPED_INFO(sentence);
      told = told || sentence.find(expected) != std::string::npos;
    }
    CHECK(told);
  }
}
