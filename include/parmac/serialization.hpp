// SPDX-License-Identifier: BSL-1.0
#pragma once

// Include this for submodels that are not flat and travel through Boost.Serialization, and link
// parmac::serialization (or parmac::mpi).

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "parmac/core/submodel_range.hpp"
#include "parmac/train/payload.hpp"

namespace parmac {

/// Turns ranges of submodels into bytes for the wire, and back, with Boost's binary archive. All
/// machines of a run must have the same Boost and the same kind of processor.
struct BoostArchives {
  template <class Model>
  static std::string save(Model& model, SubmodelRange range) {
    std::ostringstream out;
    {
      boost::archive::binary_oarchive archive(out, boost::archive::no_header);
      model.serialize(archive, range);
    }
    return std::move(out).str();
  }

  template <class Model>
  static void load(Model& model, SubmodelRange range, std::string bytes) {
    std::istringstream in(std::move(bytes));
    boost::archive::binary_iarchive archive(in, boost::archive::no_header);
    model.serialize(archive, range);
  }
};

template <>
struct detail::ArchiveChoice<detail::WireArchives> {
  using type = BoostArchives;
};

} // namespace parmac
