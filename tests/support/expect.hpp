// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "parmac/support/check.hpp"

namespace parmac::tests {

/// What a suite that runs on several machines at once throws when something is not as expected.
class Mismatch : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

/// Stands in for CHECK where several threads check at once, which Catch2 does not allow.
template <class... Parts>
void expect(bool good, const Parts&... parts) {
  require<Mismatch>(good, parts...);
}

/// How a part of a program ended on one machine.
struct Outcome {
  std::string type = "none"; ///< The name of what was thrown.
  int remote_rank = -1;      ///< Of a RemoteError.
  std::string words = {};
};

/// Runs `part` and says how it ended, whatever it throws. RemoteErrors and others are told apart.
template <class Part>
Outcome outcome_of(Part&& part) {
  try {
    part();
  } catch (const RemoteError& error) {
    return {"RemoteError", error.rank(), error.what()};
  } catch (const ConfigError& error) {
    return {"ConfigError", -1, error.what()};
  } catch (const DataError& error) {
    return {"DataError", -1, error.what()};
  } catch (const NumericalError& error) {
    return {"NumericalError", -1, error.what()};
  } catch (const StallError& error) {
    return {"StallError", -1, error.what()};
  } catch (const TransportError& error) {
    return {"TransportError", -1, error.what()};
  } catch (const std::exception& error) {
    return {"std::exception", -1, error.what()};
  }
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace parmac::tests
