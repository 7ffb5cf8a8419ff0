// SPDX-License-Identifier: BSL-1.0
// Members are declared only: nothing here runs.
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "parmac/core/observer.hpp"
#include "parmac/core/penalty_schedule.hpp"
#include "parmac/core/stopping_rule.hpp"
#include "parmac/train/settings.hpp"

using namespace parmac;

namespace {

struct Penalty {
  double operator()(int) const;
};
struct PenaltyOfFloat {
  float operator()(long) const;
};
struct PenaltyNotConst {
  double operator()(int);
};
struct PenaltyOfNothing {
  double operator()() const;
};
struct PenaltyOfWords {
  std::string operator()(int) const;
};
struct PenaltyNotCopied : Penalty {
  std::unique_ptr<int> only;
};
static_assert(PenaltySchedule<Penalty>);
static_assert(PenaltySchedule<PenaltyOfFloat>);
static_assert(PenaltySchedule<double (*)(int)>);
static_assert(!PenaltySchedule<PenaltyNotConst>);
static_assert(!PenaltySchedule<PenaltyOfNothing>);
static_assert(!PenaltySchedule<PenaltyOfWords>);
static_assert(!PenaltySchedule<PenaltyNotCopied>);
static_assert(!PenaltySchedule<double>);

struct Rule {
  std::optional<std::string> operator()(const IterationReport&);
};
struct RuleOfWords {
  std::string operator()(const IterationReport&);
};
struct RuleOfBool {
  bool operator()(const IterationReport&);
};
struct RuleOfNumber {
  std::optional<std::string> operator()(int);
};
struct RuleChangesReport {
  std::optional<std::string> operator()(IterationReport&);
};
struct RuleNotCopied : Rule {
  std::unique_ptr<int> only;
};
static_assert(StoppingRule<Rule>);
static_assert(StoppingRule<RuleOfWords>);
static_assert(!StoppingRule<RuleOfBool>);
static_assert(!StoppingRule<RuleOfNumber>);
static_assert(!StoppingRule<RuleChangesReport>);
static_assert(!StoppingRule<RuleNotCopied>);

// Functions serve as well as objects do.
double mu_of(int iteration);
std::optional<std::string> reason(const IterationReport&);
static_assert(check_penalty_schedule<decltype(&mu_of)>());
static_assert(std::is_constructible_v<AnyPenalty, decltype(mu_of)&>);
static_assert(std::is_constructible_v<AnyStoppingRule, decltype(reason)&>);
[[maybe_unused]] FitSettings settings_of_functions() { return {.penalty = mu_of, .stop = reason}; }
double mu_of(int iteration) { return 1.0 + iteration; }
std::optional<std::string> reason(const IterationReport&) { return std::nullopt; }

enum Hook { start = 1, iteration = 2, finish = 4 };
template <int Hooks>
struct Watcher {
  void on_start(const RunInfo&) requires((Hooks & start) != 0);
  void on_iteration(const IterationReport&) requires((Hooks & iteration) != 0);
  void on_finish(const Report&) requires((Hooks & finish) != 0);
};
static_assert(!Observer<Watcher<0>>, "it watches nothing");
static_assert(Observer<Watcher<start>> && Observer<Watcher<iteration>> &&
              Observer<Watcher<finish>>);
static_assert(Observer<Watcher<start | iteration>> && Observer<Watcher<start | finish>>);
static_assert(Observer<Watcher<iteration | finish>> &&
              Observer<Watcher<start | iteration | finish>>);
static_assert(!Observer<const Watcher<iteration>>, "its hooks are not const");

struct WrongStart : Watcher<iteration> {
  void on_start(int);
};
struct WrongIteration : Watcher<finish> {
  void on_iteration();
};
struct WrongFinish : Watcher<start> {
  void on_finish(Report&);
};
static_assert(!Observer<WrongStart>, "one right hook does not excuse a wrong one");
static_assert(!Observer<WrongIteration>);
static_assert(!Observer<WrongFinish>);

} // namespace
