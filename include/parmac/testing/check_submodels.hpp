// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/testing/broken_laws.hpp"

namespace parmac::testing {

namespace detail {

/// The laws of Submodels, one a member function; see `check_submodels`.
template <Submodels Model, class Make>
class SubmodelLaws {
public:
  using Shard = typename Model::shard_type;

  SubmodelLaws(Make& make, const Shard& shard, const Shard& empty)
      : make_(make), shard_(shard), empty_(empty) {}

  std::vector<std::string> broken() {
    laws_.attempt("looking at the model", [&] { shape(); });
    if (!ranges_.empty()) {
      laws_.attempt("looking at the parameters", [&] { memory(); });
      for (const SubmodelRange range : ranges_) {
        const std::string name = of(range);
        laws_.attempt("training submodels " + name + " on an empty shard", [&] { nothing(range); });
        laws_.attempt("training submodels " + name, [&] { alone(range); });
        laws_.attempt("training submodels " + name + " again", [&] { again(range); });
        laws_.attempt("training submodels " + name + " elsewhere", [&] { elsewhere(range); });
      }
    }
    return std::move(laws_).sentences();
  }

private:
  static std::string of(SubmodelRange range) { return text(range.first, " to ", range.last - 1); }

  // The first two stops of a W step, the first one at a machine that has this shard.
  void visit(Model& model, SubmodelRange range, int stop) const {
    visit(model, range, shard_, stop);
  }
  void visit(Model& model, SubmodelRange range, const Shard& shard, int stop) const {
    const auto N = static_cast<std::uint64_t>(shard_.size());
    model.train(range, shard,
                Visit{.seed = 1,
                      .iteration = 2,
                      .epoch = 0,
                      .rank = stop,
                      .visits_before = static_cast<std::uint64_t>(stop),
                      .points_seen = static_cast<std::uint64_t>(stop) * N,
                      .let_messages_move = {}});
  }
  static void finish(Model& model, SubmodelRange range) {
    if constexpr (parmac::detail::HasFinish<Model>) model.finish(range);
  }
  // Everything that a model says of a range.
  static std::string state(Model& model, SubmodelRange range) {
    return travelling_bytes(model, range, true) + travelling_bytes(model, range, false);
  }

  // Sizes and kinds; leaves ranges_ empty where nothing more can be looked at.
  void shape() {
    Model model = make_();
    const auto M = static_cast<std::size_t>(model.size());
    laws_.expect(M > 0, "size() is 0; a model has at least one submodel");
    laws_.expect(static_cast<std::size_t>(shard_.size()) > 0,
                 "the shard has no points; these checks need some");
    laws_.expect(static_cast<std::size_t>(empty_.size()) == 0, "the empty shard has points");
    kinds_ = kinds_of(model);
    std::size_t covered = 0;
    bool consecutive = true;
    for (const SubmodelRange kind : kinds_) {
      consecutive = consecutive && kind.first == covered && kind.last >= kind.first;
      covered = kind.last;
    }
    laws_.expect(consecutive && covered == M,
                 "kinds() must follow each other from 0 to size() = ", M, " without gaps");
    if (!consecutive || covered != M) return;
    for (const SubmodelRange kind : kinds_) {
      if (kind.size() > 0) ranges_.push_back(kind);
      if (const std::size_t middle = kind.first + (kind.size() + 1) / 2; kind.size() > 1) {
        ranges_.push_back({kind.first, middle});
        ranges_.push_back({middle, kind.last});
      }
    }
    for (const SubmodelRange range : ranges_) advice(model, range);
    if constexpr (parmac::detail::HasOutputLayer<Model>) {
      const SubmodelRange layer = model.output_layer();
      const auto bound = [&](std::size_t at) {
        return std::any_of(kinds_.begin(), kinds_.end(),
                           [&](SubmodelRange kind) { return at == kind.first || at == kind.last; });
      };
      laws_.expect(layer.first < layer.last && bound(layer.first) && bound(layer.last),
                   "output_layer() must be made of whole kinds; it is submodels ", layer.first,
                   " up to but without ", layer.last);
    }
  }

  void advice(const Model& model, SubmodelRange range) {
    if constexpr (parmac::detail::HasCost<Model>) {
      const double cost = model.cost(range);
      laws_.expect(cost > 0 && std::isfinite(cost), "cost() of submodels ", of(range), " is ", cost,
                   "; it must be positive and finite");
    }
    if constexpr (parmac::detail::HasEpochs<Model>)
      for (const int asked : {1, 2, 3}) {
        const int epochs = model.epochs(range, asked);
        laws_.expect(epochs >= 1, "epochs() of submodels ", of(range), " is ", epochs, " where ",
                     asked, " are asked for; it must be at least 1");
      }
  }

  // Where parameters lie.
  void memory() {
    Model model = make_();
    if constexpr (FlatSubmodels<Model>) {
      for (const SubmodelRange kind : kinds_) {
        const auto whole = model.parameters(kind);
        auto* end = whole.data();
        for (std::size_t i = kind.first; i < kind.last; ++i) {
          const auto one = model.parameters({i, i + 1});
          laws_.expect(one.data() == end, "the parameters of submodel ", i,
                       " do not follow those of the one before it in its kind");
          laws_.expect(!one.empty(), "submodel ", i, " has no parameters");
          end = one.data() + one.size();
        }
        laws_.expect(end == whole.data() + whole.size(), "the parameters of submodels ", of(kind),
                     " are not those of its submodels one after the other");
        for (const SubmodelRange other : kinds_) {
          const auto theirs = model.parameters(other);
          const std::less<const void*> before;
          laws_.expect(other.first <= kind.first ||
                           !before(theirs.data(), whole.data() + whole.size()) ||
                           !before(whole.data(), theirs.data() + theirs.size()),
                       "submodels ", of(kind), " share memory with ", of(other));
        }
      }
      for (const SubmodelRange range : ranges_) {
        const auto before = model.parameters(range);
        visit(model, range, 0);
        const auto after = model.parameters(range);
        laws_.expect(before.data() == after.data() && before.size() == after.size(),
                     "training moves the parameters of submodels ", of(range),
                     " in memory, or changes their number");
      }
    }
    Model twin = make_();
    Model fresh = make_();
    for (const SubmodelRange range : ranges_)
      laws_.expect(state(fresh, range) == state(twin, range), "submodels ", of(range),
                   " are not made alike twice, so machines would not begin with the same model");
  }

  // An empty shard teaches nothing; statistics begin at zero in a first visit.
  void nothing(SubmodelRange range) {
    // An archive holds statistics, too, which may be laid out at the first visit.
    if constexpr (FlatSubmodels<Model>) {
      Model fresh = make_();
      const std::string parameters = travelling_bytes(fresh, range, false);
      visit(fresh, range, empty_, 0);
      laws_.expect(travelling_bytes(fresh, range, false) == parameters, "training submodels ",
                   of(range), " on an empty shard changes them");
    }
    Model model = make_();
    visit(model, range, 0);
    const std::string before = state(model, range);
    visit(model, range, empty_, 1);
    laws_.expect(state(model, range) == before, "training submodels ", of(range),
                 " on an empty shard changes them");
  }

  // A range leaves the others alone, and they it.
  void alone(SubmodelRange range) {
    Model model = make_();
    Model other_way = make_();
    std::vector<std::string> before;
    for (const SubmodelRange other : kinds_) before.push_back(outside(model, other, range));
    visit(model, range, 0);
    finish(model, range);
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      laws_.expect(outside(model, kinds_[k], range) == before[k], "training submodels ", of(range),
                   " changes others among ", of(kinds_[k]));
    for (const SubmodelRange other : ranges_)
      if (other.last <= range.first || other.first >= range.last) visit(other_way, other, 0);
    visit(other_way, range, 0);
    finish(other_way, range);
    laws_.expect(state(model, range) == state(other_way, range), "what submodels ", of(range),
                 " learn depends on what others have learnt before");
    if constexpr (FlatSubmodels<Model>)
      laws_.expect(parmac::detail::first_not_finite(model.parameters(range)) < 0, "submodels ",
                   of(range), " are not finite after training");
  }

  // The same visits from the same state, twice.
  void again(SubmodelRange range) {
    Model one = make_();
    Model two = make_();
    for (const int stop : {0, 1}) {
      visit(one, range, stop);
      visit(two, range, stop);
    }
    finish(one, range);
    finish(two, range);
    laws_.expect(state(one, range) == state(two, range), "the same visits teach submodels ",
                 of(range), " different things");
  }

  // What travels is all that further training depends on.
  void elsewhere(SubmodelRange range) {
    Model here = make_();
    Model there = make_();
    visit(here, range, 0);
    hand_over(here, there, range, true);
    laws_.expect(travelling_bytes(there, range, true) == travelling_bytes(here, range, true),
                 "submodels ", of(range), " do not arrive as they were sent");
    visit(here, range, 1);
    visit(there, range, 1);
    laws_.expect(travelling_bytes(there, range, true) == travelling_bytes(here, range, true),
                 "training submodels ", of(range), " depends on something that does not travel");
    finish(here, range);
    finish(there, range);
    laws_.expect(travelling_bytes(there, range, false) == travelling_bytes(here, range, false),
                 "finish() of submodels ", of(range), " depends on something that does not travel");
  }

  static void hand_over(Model& from, Model& to, SubmodelRange range, bool training) {
    if constexpr (FlatSubmodels<Model>) {
      // Statistics may be laid out at the first visit, which the other model has not seen.
      const auto source = parmac::detail::Payload<Model>::memory(from, range, training);
      const auto target = parmac::detail::Payload<Model>::memory(to, range, training);
      require<ShapeError>(source.size() == target.size(), "a fresh model has room for ",
                          target.size(), " bytes where ", source.size(), " travel");
      std::copy(source.begin(), source.end(), target.begin());
    } else {
      parmac::detail::Payload<Model>::load(to, range, travelling_bytes(from, range, training));
    }
  }

  // The state of the submodels of a kind that are not in the range.
  static std::string outside(Model& model, SubmodelRange kind, SubmodelRange range) {
    std::string bytes;
    for (std::size_t i = kind.first; i < kind.last; ++i)
      if (i < range.first || i >= range.last) bytes += state(model, {i, i + 1});
    return bytes;
  }

  Make& make_;
  const Shard& shard_;
  const Shard& empty_;
  std::vector<SubmodelRange> kinds_;
  std::vector<SubmodelRange> ranges_; // each kind, and its halves
  BrokenLaws laws_;
};

} // namespace detail

/// Looks for broken laws of a user's Submodels, those that the compiler cannot see:
/// kinds cover all submodels; parameters lie one submodel after the other and stay where they are;
/// an empty shard teaches nothing; a range and the others leave each other alone; the same visits
/// teach the same, bit for bit; and what travels is all that further training depends on.
/// A model that is not flat needs parmac/serialization.hpp to be included.
/// Costs some 20 visits of each kind.
/// @param make gives the model in its first state whenever it is called.
/// @param shard some points; @param empty none.
/// @returns a sentence a broken law; empty when all hold.
template <class Make, class Shard>
[[nodiscard]] std::vector<std::string> check_submodels(Make&& make, const Shard& shard,
                                                       const Shard& empty) {
  using Model = std::remove_cvref_t<decltype(make())>;
  static_assert(parmac::check_submodels<Model>());
  return detail::SubmodelLaws<Model, std::remove_reference_t<Make>>(make, shard, empty).broken();
}

} // namespace parmac::testing
