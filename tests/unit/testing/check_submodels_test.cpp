// SPDX-License-Identifier: BSL-1.0
#include "catch.hpp"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "memory_archive.hpp"
#include "parmac/testing/archetypes.hpp"
#include "parmac/testing/check_submodels.hpp"

using namespace parmac;
using parmac::testing::LeastArchivedSubmodels;
using parmac::testing::LeastShard;
using parmac::testing::LeastSubmodels;

namespace {

enum class Mistake {
  none,
  gap_in_kinds,
  no_submodel,
  moving_memory,
  shared_memory,
  kind_memory_shared,
  learns_from_nothing,
  learns_from_nothing_at_first,
  refuses_nothing,
  disturbs_others,
  depends_on_others,
  not_repeatable,
  leaves_momentum_behind,
  finish_from_left_behind,
  made_differently,
  not_finite,
  no_cost,
  no_epochs,
  half_an_output_layer,
};

struct Points {
  std::vector<double> x;
  [[nodiscard]] std::size_t size() const { return x.size(); }
};

// Running means of the points, 5 submodels in two kinds, with a choice of mistakes.
class Means {
public:
  using shard_type = Points;
  Means(Mistake mistake, int made) : mistake_(mistake), w_(5 * 2, 0.5), momentum_(5, 0.0) {
    if (is(Mistake::made_differently)) w_[9] = made;
    if (is(Mistake::no_submodel)) w_.clear();
  }

  [[nodiscard]] std::size_t size() const { return w_.size() / 2; }
  [[nodiscard]] std::vector<SubmodelRange> kinds() const {
    if (is(Mistake::no_submodel)) return {};
    return {{0, is(Mistake::gap_in_kinds) ? 1U : 2U}, {2, 5}};
  }
  [[nodiscard]] double cost(SubmodelRange range) const {
    return is(Mistake::no_cost) ? 0 : static_cast<double>(range.size());
  }
  [[nodiscard]] int epochs(SubmodelRange range, int asked) const {
    return is(Mistake::no_epochs) && range.first >= 2 ? asked - 1 : asked;
  }
  [[nodiscard]] SubmodelRange output_layer() const {
    return {is(Mistake::half_an_output_layer) ? 3U : 2U, 5};
  }
  std::span<double> parameters(SubmodelRange range) {
    if (is(Mistake::shared_memory)) range.first = range.first == 0 ? 0 : range.first - 1;
    if (is(Mistake::kind_memory_shared) && range.first >= 2) {
      range.first -= 2;
      range.last -= 2;
    }
    return std::span(w_).subspan(2 * range.first, 2 * range.size());
  }
  void train(SubmodelRange range, const Points& shard, const Visit& visit) {
    if (is(Mistake::refuses_nothing) && shard.size() == 0) throw std::runtime_error("no points");
    if (is(Mistake::moving_memory)) w_ = std::vector<double>(w_);
    if (is(Mistake::disturbs_others)) w_[0] += 1;
    if (is(Mistake::not_repeatable)) w_[2 * range.first] += ++calls_in_all;
    if (is(Mistake::learns_from_nothing) && visit.visits_before > 0) w_[2 * range.first] += 1;
    if (is(Mistake::learns_from_nothing_at_first) && visit.first()) w_[2 * range.first] = 0;
    for (std::size_t i = range.first; i < range.last; ++i)
      for (const double x : shard.x) {
        momentum_[i] = 0.9 * momentum_[i] + x;
        w_[2 * i] += 0.1 * (x - w_[2 * i]) + (is(Mistake::depends_on_others) ? w_[0] + w_[9] : 0);
        if (is(Mistake::leaves_momentum_behind)) w_[2 * i] += momentum_[i];
        if (is(Mistake::not_finite)) w_[2 * i] /= 0 * x;
      }
  }
  void finish(SubmodelRange range) {
    for (std::size_t i = range.first; i < range.last; ++i)
      w_[2 * i + 1] = is(Mistake::finish_from_left_behind) ? momentum_[i] : w_[2 * i];
  }

  static inline int calls_in_all = 0;

private:
  [[nodiscard]] bool is(Mistake mistake) const { return mistake_ == mistake; }
  Mistake mistake_;
  std::vector<double> w_;
  std::vector<double> momentum_;
};

const Points points{{1.5, -2, 4}};
const Points no_points;

std::vector<std::string> broken_by(Mistake mistake) {
  int made = 0;
  return testing::check_submodels([&] { return Means(mistake, ++made); }, points, no_points);
}

bool any_says(const std::vector<std::string>& sentences, const std::string& words) {
  for (const std::string& sentence : sentences)
    if (sentence.find(words) != std::string::npos) return true;
  return false;
}

// Sums that travel instead of the parameters, which finish() makes from them.
class Sums {
public:
  using shard_type = Points;
  explicit Sums(bool begins_at_zero = true, bool laid_out_late = false)
      : begins_at_zero_(begins_at_zero), mean_(2, 0.0F) {
    if (!laid_out_late) sums_.assign(4, 99.0); // left over from an earlier W step
  }
  [[nodiscard]] std::size_t size() const { return 2; }
  std::span<float> parameters(SubmodelRange range) {
    return std::span(mean_).subspan(range.first, range.size());
  }
  std::span<double> statistics(SubmodelRange range) {
    if (sums_.empty()) return {};
    return std::span(sums_).subspan(2 * range.first, 2 * range.size());
  }
  void train(SubmodelRange range, const Points& shard, const Visit& visit) {
    sums_.resize(4, 0.0);
    for (std::size_t i = range.first; i < range.last; ++i) {
      if (visit.first() && begins_at_zero_) sums_[2 * i] = sums_[2 * i + 1] = 0;
      for (const double x : shard.x) {
        sums_[2 * i] += x;
        sums_[2 * i + 1] += 1;
      }
    }
  }
  void finish(SubmodelRange range) {
    for (std::size_t i = range.first; i < range.last; ++i)
      mean_[i] = static_cast<float>(sums_[2 * i] / sums_[2 * i + 1]);
  }

private:
  bool begins_at_zero_;
  std::vector<float> mean_;
  std::vector<double> sums_;
};

// Travels in archives, without its weights where `forgetful`.
class Archived {
public:
  using shard_type = Points;
  explicit Archived(bool forgetful) : forgetful_(forgetful), w_(3, 1.0), seen_(3, 0) {}
  [[nodiscard]] std::size_t size() const { return w_.size(); }
  template <class Archive>
  void serialize(Archive& archive, SubmodelRange range) {
    for (std::size_t i = range.first; i < range.last; ++i) {
      archive& w_[i];
      if (!forgetful_) archive& seen_[i];
    }
  }
  void train(SubmodelRange range, const Points& shard, const Visit&) {
    for (std::size_t i = range.first; i < range.last; ++i)
      for (const double x : shard.x) w_[i] += (x - w_[i]) / ++seen_[i];
  }

private:
  bool forgetful_;
  std::vector<double> w_;
  std::vector<int> seen_;
};

} // namespace

TEST_CASE("No law is broken by submodels that keep them all") {
  CHECK(broken_by(Mistake::none) == std::vector<std::string>{});
  CHECK(testing::check_submodels([] { return LeastSubmodels(4); }, LeastShard(3), LeastShard(0)) ==
        std::vector<std::string>{});
  CHECK(testing::check_submodels([] { return LeastArchivedSubmodels(4); }, LeastShard(3),
                                 LeastShard(0)) == std::vector<std::string>{});
  CHECK(testing::check_submodels([] { return Sums(); }, points, no_points) ==
        std::vector<std::string>{});
  CHECK(testing::check_submodels([] { return Archived(false); }, points, no_points) ==
        std::vector<std::string>{});
}

TEST_CASE("Each broken law of submodels is told in words") {
  const std::map<Mistake, std::string> words{
      {Mistake::gap_in_kinds, "without gaps"},
      {Mistake::no_submodel, "size() is 0"},
      {Mistake::moving_memory, "moves the parameters"},
      {Mistake::shared_memory, "do not follow those of the one before"},
      {Mistake::kind_memory_shared, "share memory"},
      {Mistake::learns_from_nothing, "on an empty shard changes"},
      {Mistake::learns_from_nothing_at_first, "on an empty shard changes"},
      {Mistake::refuses_nothing, "on an empty shard throws: no points"},
      {Mistake::disturbs_others, "changes others"},
      {Mistake::depends_on_others, "depends on what others have learnt"},
      {Mistake::not_repeatable, "different things"},
      {Mistake::leaves_momentum_behind, "something that does not travel"},
      {Mistake::finish_from_left_behind, "finish() of submodels"},
      {Mistake::made_differently, "not made alike"},
      {Mistake::not_finite, "not finite"},
      {Mistake::no_cost, "cost()"},
      {Mistake::no_epochs, "epochs()"},
      {Mistake::half_an_output_layer, "output_layer()"},
  };
  for (const auto& [mistake, expected] : words) {
    const std::vector<std::string> sentences = broken_by(mistake);
    INFO("expected: " << expected);
    for (const std::string& sentence : sentences) UNSCOPED_INFO(sentence);
    CHECK(any_says(sentences, expected));
  }
}

TEST_CASE("Statistics that do not begin at zero are found out") {
  // Both machines begin with the same rubbish, so it is the second W step that would differ: the
  // law that catches it here is that what travels is all that counts.
  int made = 0;
  const auto sentences = testing::check_submodels(
      [&] {
        Sums model(false);
        model.statistics({0, 2})[0] = ++made;
        return model;
      },
      points, no_points);
  CHECK(any_says(sentences, "different things"));
}

TEST_CASE("Statistics must have their place before the first visit") {
  CHECK(any_says(testing::check_submodels([] { return Sums(true, true); }, points, no_points),
                 "a fresh model has room for"));
}

TEST_CASE("An archive that leaves something behind is found out") {
  CHECK(any_says(testing::check_submodels([] { return Archived(true); }, points, no_points),
                 "something that does not travel"));
}

TEST_CASE("Shards that cannot show anything are refused") {
  const auto make = [] { return Means(Mistake::none, 1); };
  CHECK(any_says(testing::check_submodels(make, no_points, no_points), "the shard has no points"));
  CHECK(any_says(testing::check_submodels(make, points, points), "the empty shard has points"));
}
