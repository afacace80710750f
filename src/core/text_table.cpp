// Text in columns: first the widths, then the lines.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace nfold::core {

std::string TextTable::text() const {
  std::vector<std::size_t> width;
  for (const auto& row : rows_) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = " ";
    for (std::size_t k = 0; k < row.size(); ++k) line += fmt::format(" {:<{}} ", row[k], width[k]);
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

}  // namespace nfold::core
