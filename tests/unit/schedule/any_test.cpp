// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <optional>
#include <string>

#include "parmac/schedule/any.hpp"
#include "parmac/schedule/geometric_penalty.hpp"
#include "parmac/schedule/listed_penalty.hpp"
#include "parmac/schedule/stop/limits.hpp"

using namespace parmac;

TEST_CASE("Any penalty schedule can be held by value") {
  AnyPenalty penalty = GeometricPenalty(2, 3);
  CHECK(penalty(2) == Approx(18));
  penalty = ListedPenalty({5});
  CHECK(penalty(2) == 5);
  penalty = [](int i) { return 1.0 + i; };
  CHECK(penalty(2) == 3);
  const AnyPenalty copy = penalty;
  penalty = ListedPenalty({7});
  CHECK(copy(2) == 3);
}

TEST_CASE("Any stopping rule can be held by value, and copies go on apart") {
  IterationReport report;
  AnyStoppingRule rule = MaxIterations{2};
  CHECK_FALSE(rule(report));
  report.iteration = 1;
  CHECK(rule(report));

  int asked = 0;
  rule = [count = 0, &asked](const IterationReport&) mutable {
    asked = ++count;
    return std::optional<std::string>();
  };
  AnyStoppingRule copy = rule;
  CHECK_FALSE(rule(report));
  CHECK_FALSE(rule(report));
  CHECK(asked == 2);
  CHECK_FALSE(copy(report));
  CHECK(asked == 1);
}
