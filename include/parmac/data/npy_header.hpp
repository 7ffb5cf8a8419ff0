// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "parmac/data/input_file.hpp"
#include "parmac/data/layout_hint.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"
#include "parmac/support/little_endian.hpp"

namespace parmac::detail {

/// What the header of an npy file says.
struct NpyHeader {
  std::string dtype; ///< numpy's name of the element type, such as "<f4"
  bool fortran_order = false;
  std::vector<Index> shape;
  Index data_offset = 0; ///< The first byte of the array.
};

/// A shape as Python writes it: (10, 3).
[[nodiscard]] inline std::string shape_text(std::span<const Index> shape) {
  std::string words = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) words += text(i > 0 ? ", " : "", shape[i]);
  return words + (shape.size() == 1 ? ",)" : ")");
}

/// Reads the dictionary of an npy header, a literal of Python: the keys 'descr', 'fortran_order'
/// and 'shape', once each, in any order, spaced in any way.
class NpyDictionary {
public:
  /// @param name of the file, for messages.
  NpyDictionary(std::string_view words, std::string name) : rest_(words), name_(std::move(name)) {}

  /// @throws DataError when it is anything else.
  [[nodiscard]] NpyHeader parse() {
    std::optional<std::string> dtype;
    std::optional<bool> fortran_order;
    std::optional<std::vector<Index>> shape;
    const auto once = [&](auto& value, std::string_view key) -> auto& {
      if (value) fail(text("'", key, "' only once"));
      return value;
    };
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr")
        once(dtype, key) = this->dtype();
      else if (key == "fortran_order")
        once(fortran_order, key) = boolean();
      else if (key == "shape")
        once(shape, key) = tuple();
      else
        fail(text("no key '", key.substr(0, 40), "'"));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) fail("nothing behind the '}'");
    if (!dtype || !fortran_order || !shape) fail("'descr', 'fortran_order' and 'shape'");
    return {*dtype, *fortran_order, *shape};
  }

private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw DataError(text(name_, ": the npy header is damaged: expected ", expected,
                         rest_.empty() ? " before its end"
                                       : text(" before its last ", rest_.size(), " bytes")));
  }
  void skip_space() {
    const std::size_t at = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
  }
  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(text("'", c, "'"));
  }
  bool accept(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string string() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail(text("a closing ", quote));
    std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return value;
  }
  std::string dtype() {
    skip_space();
    if (rest_.starts_with('['))
      throw DataError(text(name_, " holds records (a structured dtype); wanted is dtype '<f4' or "
                                  "'|u1'"));
    return string();
  }
  bool boolean() {
    if (accept("True")) return true;
    if (!accept("False")) fail("True or False");
    return false;
  }
  std::vector<Index> tuple() {
    std::vector<Index> numbers;
    expect('(');
    while (!accept(')')) {
      skip_space();
      Index number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc() || number < 0) fail("a size that memory can hold");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L'); // as Python 2 wrote them
      numbers.push_back(number);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  std::string_view rest_;
  std::string name_;
};

/// Reads the header of an npy file of version 1, 2 or 3 (numpy.lib.format). @throws DataError
[[nodiscard]] inline NpyHeader read_npy_header(const InputFile& file) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (!starts_with(file, magic))
    throw DataError(
        text(file.name(), " does not start like an npy file", layout_hint(file, "npy")));
  const SharedBytes start = file.head(12);
  const auto version = start.view.size() > 6 ? std::to_integer<int>(start.view[6]) : 1;
  const std::size_t before = version == 1 ? 10 : 12; // the length takes 2 bytes, or 4
  require<DataError>(version >= 1 && version <= 3, file.name(), " has version ", version,
                     " of the npy layout; known are 1, 2 and 3");
  require<DataError>(start.view.size() >= before, file.name(),
                     " is cut off in its npy header: it has ", file.size(), " bytes of ", before);
  const int minor = std::to_integer<int>(start.view[7]);
  require<DataError>(minor == 0, file.name(), " has version ", version, ".", minor,
                     " of the npy layout; known are 1.0, 2.0 and 3.0");
  const std::byte* length_at = start.view.data() + 8;
  const Index length = version == 1 ? Index{load_little<std::uint16_t>(length_at)}
                                    : Index{load_little<std::uint32_t>(length_at)};
  const Index offset = static_cast<Index>(before) + length;
  require<DataError>(offset <= file.size(), file.name(), " is cut off in its npy header: it has ",
                     file.size(), " bytes of ", offset);
  const SharedBytes bytes = file.bytes(static_cast<Index>(before), length);
  NpyHeader header =
      NpyDictionary({reinterpret_cast<const char*>(bytes.view.data()), bytes.view.size()},
                    file.name())
          .parse();
  header.data_offset = offset;
  return header;
}

/// The header of an array of shape (rows, columns) in C order, version 1, as numpy writes it:
/// filled up so that the array starts at a multiple of 64 bytes.
[[nodiscard]] inline std::string npy_header(std::string_view dtype, Index rows, Index columns) {
  std::string words = text("{'descr': '", dtype, "', 'fortran_order': False, 'shape': (", rows,
                           ", ", columns, "), }");
  while ((10 + words.size() + 1) % 64 != 0) words += ' ';
  words += '\n';
  const auto length = narrow<std::uint16_t>(words.size());
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(length & 0xFF);
  header += static_cast<char>(length >> 8);
  return header + words;
}

} // namespace parmac::detail
