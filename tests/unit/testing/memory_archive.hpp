// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

#include "parmac/core/submodel_range.hpp"
#include "parmac/train/payload.hpp"

namespace parmac::tests {

/// The least archives, in place of Boost's: these tests show that the checks need no Boost.
struct MemoryArchives {
  struct Out {
    std::string bytes = {};
    template <class T>
    requires std::is_arithmetic_v<T> Out& operator&(const T& value) {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
      return *this;
    }
  };
  struct In {
    std::string bytes;
    std::size_t at = 0;
    template <class T>
    requires std::is_arithmetic_v<T> In& operator&(T& value) {
      std::memcpy(&value, bytes.data() + at, sizeof(T));
      at += sizeof(T);
      return *this;
    }
  };

  template <class Model>
  static std::string save(Model& model, SubmodelRange range) {
    Out archive;
    model.serialize(archive, range);
    return archive.bytes;
  }
  template <class Model>
  static void load(Model& model, SubmodelRange range, std::string bytes) {
    In archive{std::move(bytes)};
    model.serialize(archive, range);
  }
};

} // namespace parmac::tests

template <>
struct parmac::detail::ArchiveChoice<parmac::detail::WireArchives> {
  using type = parmac::tests::MemoryArchives;
};
