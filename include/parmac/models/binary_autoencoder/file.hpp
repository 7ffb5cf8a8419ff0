// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/crc.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "parmac/models/binary_autoencoder/model.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/little_endian.hpp"
#include "parmac/support/output_file.hpp"

namespace parmac {

namespace detail {
inline constexpr char model_magic[8] = {'P', 'A', 'R', 'M', 'A', 'C', 'B', 'A'};
inline constexpr std::uint32_t model_version = 1;
inline constexpr std::size_t model_head_bytes = 40;

[[nodiscard]] inline std::uint32_t checksum(std::span<const std::byte> bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}
} // namespace detail

/// Writes a model. The layout, all numbers little-endian:
///
///     offset  bytes
///     0       8         "PARMACBA"
///     8       4         version of the layout, 1 (uint32)
///     12      4         bytes a number, 4 (uint32)
///     16      8         D, features (uint64)
///     24      8         L, bits (uint64)
///     32      4         scale (float32)
///     36      4         0
///     40      4 D       centre (float32)
///             4 (D+1)L  encoder, a bit after the other, each D weights and its bias
///             4 (L+1)D  decoder, an output after the other, each L weights and its bias
///     end     4         CRC-32 of all bytes before (as zlib's and gzip's)
///
/// Bit l of h(x) is 1 where w_l'(x - centre)/scale + b_l > 0; f(z) = centre + scale (A z + c).
/// @throws DataError when the file cannot be written; none is left then.
inline void save(const BinaryAutoencoder& model, const std::filesystem::path& path) {
  std::vector<std::byte> bytes;
  const auto magic = std::as_bytes(std::span(detail::model_magic));
  bytes.insert(bytes.end(), magic.begin(), magic.end());
  append_little<std::uint32_t>(bytes, detail::model_version);
  append_little<std::uint32_t>(bytes, sizeof(float));
  append_little<std::uint64_t>(bytes, static_cast<std::uint64_t>(model.features()));
  append_little<std::uint64_t>(bytes, static_cast<std::uint64_t>(model.bits()));
  append_little<float>(bytes, model.scaling().scale());
  append_little<std::uint32_t>(bytes, 0);
  for (const float value : model.scaling().centre()) append_little<float>(bytes, value);
  for (const float value : model.encoder().reshaped()) append_little<float>(bytes, value);
  for (const float value : model.decoder().reshaped()) append_little<float>(bytes, value);
  append_little<std::uint32_t>(bytes, detail::checksum(bytes));
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

/// Reads a model that `save` wrote. @throws DataError for a file that is missing, no model, of a
/// newer version, cut short, or damaged; nothing is allocated before the sizes fit the file.
[[nodiscard]] inline BinaryAutoencoder
load_binary_autoencoder(const std::filesystem::path& path,
                        BinaryAutoencoderSettings settings = {}) {
  const std::string name = path.string();
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  require<DataError>(!failure, name, " cannot be read: ", failure.message());
  require<DataError>(size >= detail::model_head_bytes + sizeof(std::uint32_t), name, " has ", size,
                     " bytes, too few for a model");
  std::ifstream in(path, std::ios::binary);
  std::vector<std::byte> head(detail::model_head_bytes);
  in.read(reinterpret_cast<char*>(head.data()), static_cast<std::streamsize>(head.size()));
  require<DataError>(static_cast<bool>(in), name, " cannot be read");
  require<DataError>(std::memcmp(head.data(), detail::model_magic, 8) == 0, name,
                     " is no model of a binary autoencoder: it does not begin with PARMACBA");
  const auto version = load_little<std::uint32_t>(&head[8]);
  require<DataError>(version <= detail::model_version, name, " has version ", version,
                     " of the model layout; this parmac reads up to version ",
                     detail::model_version);
  const auto scalar = load_little<std::uint32_t>(&head[12]);
  require<DataError>(version >= 1 && scalar == sizeof(float), name, " has version ", version,
                     " and ", scalar, " bytes a number; version 1 has 4");
  const auto D = load_little<std::uint64_t>(&head[16]);
  const auto L = load_little<std::uint64_t>(&head[24]);
  constexpr std::uint64_t limit = 1U << 24; // keeps the products below in 64 bits
  require<DataError>(D >= 1 && L >= 1 && D < limit && L < limit, name, " has ", D, " features and ",
                     L, " bits; both must be 1 to 16777215");
  const std::uint64_t numbers = D + (D + 1) * L + (L + 1) * D;
  require<DataError>(size == detail::model_head_bytes + 4 * numbers + 4, name, " has ", size,
                     " bytes; a model of ", D, " features and ", L, " bits has ",
                     detail::model_head_bytes + 4 * numbers + 4);
  std::vector<std::byte> bytes = head;
  bytes.resize(static_cast<std::size_t>(size));
  in.read(reinterpret_cast<char*>(&bytes[head.size()]),
          static_cast<std::streamsize>(size - head.size()));
  require<DataError>(static_cast<bool>(in), name, " cannot be read to its end");
  const std::size_t end = bytes.size() - sizeof(std::uint32_t);
  require<DataError>(detail::checksum(std::span(bytes).first(end)) ==
                         load_little<std::uint32_t>(&bytes[end]),
                     name, " is damaged: its checksum does not fit");

  BinaryAutoencoder model(static_cast<Index>(D), static_cast<Index>(L), settings);
  const std::byte* at = &bytes[detail::model_head_bytes];
  const auto take = [&](auto&& values) {
    for (float& value : values) {
      value = load_little<float>(at);
      at += sizeof(float);
    }
  };
  Eigen::VectorXf centre(model.features());
  take(centre);
  const auto scale = load_little<float>(&head[32]);
  require<DataError>(scale > 0 && std::isfinite(scale) && centre.allFinite(), name,
                     " has the scale ", scale,
                     "; it and the centre must be finite, and it positive");
  model.scaling().set(std::move(centre), scale);
  take(model.encoder().reshaped());
  take(model.decoder().reshaped());
  return model;
}

} // namespace parmac
