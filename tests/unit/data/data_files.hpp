// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "catch.hpp"

#include <bit>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>
#include <zlib.h>

#include "expect.hpp"
#include "parmac/data/points.hpp"
#include "temporary_folder.hpp"

namespace parmac::tests {

/// A number's four bytes, least significant first.
inline std::string little(std::uint32_t value) {
  std::string bytes;
  for (int b = 0; b < 4; ++b) bytes += static_cast<char>(value >> (8 * b) & 0xFF);
  return bytes;
}
inline std::string little(int value) { return little(static_cast<std::uint32_t>(value)); }
inline std::string little(float value) { return little(std::bit_cast<std::uint32_t>(value)); }

/// A number's four bytes, most significant first.
inline std::string big(std::uint32_t value) {
  const std::string bytes = little(value);
  return {bytes.rbegin(), bytes.rend()};
}

/// A record of fvecs (float), ivecs (int) or bvecs (char).
template <class Value>
std::string record(const std::vector<Value>& values) {
  std::string bytes = little(static_cast<std::uint32_t>(values.size()));
  for (const Value value : values)
    if constexpr (sizeof(Value) == 1)
      bytes += static_cast<char>(value);
    else
      bytes += little(value);
  return bytes;
}

/// An npy file with the given header text, unpadded.
inline std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  bytes += little(static_cast<std::uint32_t>(header.size())).substr(0, version == 1 ? 2 : 4);
  return bytes + header + data;
}

/// An idx file of unsigned bytes.
inline std::string idx(const std::vector<std::uint32_t>& sizes, const std::string& data) {
  std::string bytes{0, 0, 8, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) bytes += big(size);
  return bytes + data;
}

/// What the program gzip would make of the bytes.
inline std::string gzip(const std::string& bytes) {
  std::string packed(bytes.size() + 1000, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string input = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

/// All points as floats, D x N.
inline Eigen::MatrixXf all_of(const Points& points) {
  Eigen::MatrixXf X(points.dimension(), points.size());
  points.load(0, X);
  return X;
}

/// Bytes of random value, D x N.
template <class Random>
ByteMatrix random_bytes(Random& random, Index D, Index N) {
  ByteMatrix X(D, N);
  for (Index n = 0; n < N; ++n)
    for (Index d = 0; d < D; ++d) X(d, n) = static_cast<std::uint8_t>(random.below(256));
  return X;
}

/// The message of the `E` that `part` must throw.
template <class E, class Part>
std::string message_of(Part&& part) {
  try {
    static_cast<void>(part());
  } catch (const E& error) {
    return error.what();
  }
  FAIL("nothing was thrown");
  return {};
}

/// Whether the text has all the parts.
inline bool says(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    if (!contains(message, part)) {
      UNSCOPED_INFO("\"" << part << "\" is missing in: " << message);
      return false;
    }
  return true;
}

/// The bytes of a file that are mapped into this process, by the system's own account.
inline Index mapped_bytes(const std::filesystem::path& path) {
  std::ifstream maps("/proc/self/maps");
  Index total = 0;
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with(path.string())) continue;
    const std::size_t dash = line.find('-');
    total += static_cast<Index>(std::stoull(line.substr(dash + 1), nullptr, 16) -
                                std::stoull(line.substr(0, dash), nullptr, 16));
  }
  return total;
}

} // namespace parmac::tests
