// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "parmac/retrieval/packed_codes.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/little_endian.hpp"
#include "parmac/support/output_file.hpp"

namespace parmac {

/// Writes the codes as an index that `faiss::read_index_binary` reads (an `IndexBinaryFlat`). Since
/// faiss wants whole bytes, codes of L bits become codes of 8 ceil(L/8) bits whose last bits are 0:
/// queries must be padded alike (as the bytes of `PackedCodes` are), and distances stay the same.
///
/// Layout, least significant byte first: "IBxF", int32 bits, int32 bytes a code, int64 number of
/// codes, byte 1 (trained), int32 1 (metric), uint64 number of bytes that follow: 33 bytes of head;
/// then the codes, row after row.
/// @throws ConfigError when a code has too many bits for the format (2^31 or more).
/// @throws DataError when the file cannot be written; what stood there before is then kept.
inline void write_faiss_binary_flat(const std::filesystem::path& path, const PackedCodes& codes) {
  const auto bits = narrow<std::int32_t>(std::int64_t{8} * codes.row_bytes());
  std::vector<std::byte> head;
  head.reserve(33);
  for (const char letter : std::string_view("IBxF")) append_little(head, letter);
  append_little(head, bits);
  append_little(head, narrow<std::int32_t>(codes.row_bytes()));
  append_little(head, std::int64_t{codes.size()});
  append_little(head, std::uint8_t{1});
  append_little(head, std::int32_t{1});
  append_little(head, std::uint64_t{codes.bytes().size()});

  OutputFile file(path);
  file.write(head);
  file.write(std::as_bytes(codes.bytes()));
  file.commit();
}

} // namespace parmac
