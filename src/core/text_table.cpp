// Text in columns: first the widths, then the lines.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nfold::core {

std::vector<std::string> TextTable::lines() const {
  auto width = least_widths_;
  for (const auto& row : rows_) width.resize(std::max(width.size(), row.size()));
  const auto spans = [&](const auto& row, std::size_t k) {
    return k + 1 == row.size() && row.size() < width.size();
  };
  for (const auto& row : rows_) {
    for (std::size_t k = 0; k < row.size() && !spans(row, k); ++k) {
      width[k] = std::max(width[k], row[k].size());
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool is_right = k < alignment_.size() && alignment_[k] == 'r' && !spans(row, k);
      line += is_right ? fmt::format("  {:>{}}", row[k], width[k])
                       : fmt::format("  {:<{}}", row[k], width[k]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string TextTable::text() const {
  std::string text;
  for (const auto& line : lines()) text += line + "\n";
  return text;
}

}  // namespace nfold::core
