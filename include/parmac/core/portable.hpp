// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace parmac {

namespace detail {
/// Stands in for an archive of Boost.Serialization where it is asked whether a type can travel:
/// it takes everything and does nothing.
struct ProbeArchive {
  template <class T>
  ProbeArchive& operator&(T&&) {
    return *this;
  }
  template <class T>
  ProbeArchive& operator<<(T&&) {
    return *this;
  }
  template <class T>
  ProbeArchive& operator>>(T&&) {
    return *this;
  }
};
} // namespace detail

/// A type that can travel by itself: it has `serialize(archive, version)` as Boost.Serialization
/// asks for.
template <class T>
concept Portable = requires(T& value, detail::ProbeArchive& archive) {
  value.serialize(archive, 0U);
};

} // namespace parmac
