// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parmac/data/input_file.hpp"
#include "parmac/support/check.hpp"
#include "parmac/support/index.hpp"

namespace parmac {

/// A table of numbers with a line of names: a row of the file is a point, a column of X.
struct Table {
  std::vector<std::string> names; ///< Of the D columns.
  Eigen::MatrixXf X;              ///< D x N
};

/// A table whose last column numbered classes from 0.
struct LabelledTable {
  std::vector<std::string> names;
  Eigen::MatrixXf X; ///< D x N
  std::vector<std::uint8_t> labels;
};

namespace detail {

inline std::vector<std::string_view> cut_line(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

} // namespace detail

/// Reads a table of comma-separated numbers whose first line names the columns. Lines may end in
/// CR LF; empty lines at the end do not count. The whole file is read; every machine takes its
/// share of the columns of X.
/// @throws DataError, naming the line and column, for what is no finite number or has another
/// number of columns; also when there are no rows.
[[nodiscard]] inline Table read_csv(const std::filesystem::path& path,
                                    const Inflate& inflate = {}) {
  const InputFile file(path, inflate);
  const SharedBytes bytes = file.bytes(0, file.size());
  std::string_view rest(reinterpret_cast<const char*>(bytes.view.data()), bytes.view.size());
  while (!rest.empty() && (rest.back() == '\n' || rest.back() == '\r')) rest.remove_suffix(1);
  Table table;
  std::vector<float> numbers;
  Index line = 0;
  while (!rest.empty()) {
    ++line;
    const std::size_t end = rest.find('\n');
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    const std::vector<std::string_view> fields = detail::cut_line(text);
    if (line == 1) {
      for (const std::string_view name : fields) table.names.emplace_back(name);
      continue;
    }
    require<DataError>(fields.size() == table.names.size(), file.name(), ", line ", line, " has ",
                       fields.size(), " columns; the first line names ", table.names.size());
    for (std::size_t d = 0; d < fields.size(); ++d) {
      std::string_view field = fields[d];
      while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
      while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
      float number = 0;
      const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), number);
      require<DataError>(error == std::errc() && stop == field.data() + field.size() &&
                             std::isfinite(number),
                         file.name(), ", line ", line, ", column ", d + 1, " (", table.names[d],
                         "): '", std::string(field), "' is no finite number");
      numbers.push_back(number);
    }
  }
  const auto D = static_cast<Index>(table.names.size());
  require<DataError>(line >= 2, file.name(), " has ", line,
                     " lines; a table has a line of names and at least one row");
  table.X = Eigen::Map<const Eigen::MatrixXf>(numbers.data(), D, line - 1);
  return table;
}

/// The last column as classes. @throws DataError, naming the row, where it is no whole number from
/// 0 to 255, or when there is no other column.
[[nodiscard]] inline LabelledTable with_labels(Table table) {
  const Index D = table.X.rows() - 1;
  require<DataError>(D >= 1, "a table with classes needs at least 2 columns; it has ",
                     table.names.size());
  LabelledTable labelled;
  for (Index n = 0; n < table.X.cols(); ++n) {
    const float label = table.X(D, n);
    require<DataError>(label >= 0 && label <= 255 && label == std::floor(label), "row ", n + 1,
                       ", column ", table.names.back(), ": ", label,
                       " is no class; classes are whole numbers from 0 to 255");
    labelled.labels.push_back(static_cast<std::uint8_t>(label));
  }
  labelled.X = table.X.topRows(D);
  table.names.pop_back();
  labelled.names = std::move(table.names);
  return labelled;
}

} // namespace parmac
