// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parmac/core/submodels.hpp"
#include "parmac/support/check.hpp"
#include "parmac/train/payload.hpp"

namespace parmac::testing {

/// Gathers sentences about laws that do not hold; each is told once.
class BrokenLaws {
public:
  /// Keeps the sentence made of `parts` unless `holds`.
  template <class... Parts>
  void expect(bool holds, const Parts&... parts) {
    if (holds) return;
    std::string sentence = parmac::text(parts...);
    for (const std::string& known : sentences_)
      if (known == sentence) return;
    sentences_.push_back(std::move(sentence));
  }

  /// Runs `check`, for which an exception is a broken law, too.
  template <class Check>
  void attempt(const std::string& what, Check&& check) {
    try {
      check();
    } catch (const std::exception& failure) {
      expect(false, what, " throws: ", failure.what());
    }
  }

  [[nodiscard]] std::vector<std::string> sentences() && { return std::move(sentences_); }

private:
  std::vector<std::string> sentences_;
};

/// The bytes of what a range's message would hold.
/// @param training whether the message goes to a stop that trains: then statistics, where there
/// are any, travel instead of parameters.
template <Submodels Model>
[[nodiscard]] std::string travelling_bytes(Model& model, SubmodelRange range, bool training) {
  if constexpr (FlatSubmodels<Model>) {
    const auto bytes = parmac::detail::Payload<Model>::memory(model, range, training);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } else {
    return *parmac::detail::Payload<Model>::save(model, range);
  }
}

/// A model's kinds, or one that holds all submodels.
template <Submodels Model>
[[nodiscard]] std::vector<SubmodelRange> kinds_of(const Model& model) {
  if constexpr (parmac::detail::HasKinds<Model>)
    return model.kinds();
  else
    return {{0, static_cast<std::size_t>(model.size())}};
}

} // namespace parmac::testing
