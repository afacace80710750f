// Quoting and splitting of CSV fields.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/csv.hpp"

#include <cstddef>

namespace nfold::core {

std::string quote_csv_field(std::string_view text) {
  std::string field;
  bool quotes = false;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      if (!field.empty() && field.back() != ' ') field += ' ';
      continue;
    }
    quotes = quotes || c == ',' || c == '"';
    if (c == '"') field += '"';
    field += c;
  }
  return quotes ? '"' + field + '"' : field;
}

std::vector<std::string> split_csv_row(std::string_view row) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char c = row[i];
    if (c == '"') {
      if (quoted && i + 1 < row.size() && row[i + 1] == '"') {
        fields.back() += row[++i];
      } else {
        quoted = !quoted;
      }
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r' || quoted) {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace nfold::core
