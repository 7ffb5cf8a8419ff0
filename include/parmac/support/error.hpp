// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stdexcept>
#include <string>

namespace parmac {

/// The root of everything that parmac throws. `what()` says what was found, where, and what was
/// expected.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A setting is out of its range, or settings contradict each other.
class ConfigError : public Error {
public:
  using Error::Error;
};

/// A file cannot be read or written, is damaged, or holds what it must not hold (such as NaN).
class DataError : public Error {
public:
  using Error::Error;
};

/// Two things that must have matching sizes do not.
class ShapeError : public Error {
public:
  using Error::Error;
};

/// Training left the range of finite numbers.
class NumericalError : public Error {
public:
  using Error::Error;
};

/// A message could not be sent, or what arrived does not belong here.
class TransportError : public Error {
public:
  using Error::Error;
};

/// A machine waited longer than the stall limit.
class StallError : public TransportError {
public:
  using TransportError::TransportError;
};

/// Another rank failed; `what()` is its message, `rank()` its number. The rank that failed throws
/// its own exception instead, so exactly one rank has the original.
class RemoteError : public Error {
public:
  RemoteError(int rank, const std::string& message) : Error(message), rank_(rank) {}
  [[nodiscard]] int rank() const { return rank_; }

private:
  int rank_;
};

} // namespace parmac
