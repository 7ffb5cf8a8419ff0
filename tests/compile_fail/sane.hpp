// SPDX-License-Identifier: BSL-1.0
#pragma once

// What the cases share: pieces with nothing wrong in them. It is compiled once for all.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parmac/core/submodel_update.hpp"
#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/schedule/stop/any_of.hpp"
#include "parmac/train/trainer.hpp"

using namespace parmac;

struct Shard {
  [[nodiscard]] std::size_t size() const { return 1; }
};

struct Submodel {
  using shard_type = Shard;
  [[nodiscard]] std::size_t size() const { return 1; }
  std::span<float> parameters(SubmodelRange) { return weights; }
  void train(SubmodelRange, const Shard&, const Visit&) {}
  std::vector<float> weights;
};

struct Step {
  template <class Model, class Points>
  CoordinateReport update(const Model&, Points&, double) {
    return {};
  }
};
