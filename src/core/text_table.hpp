// Table of text in aligned columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace nfold::core {

/// Columns are as wide as their widest entry; the first row is the heading. The last entry of a row
/// that is shorter than others spans the columns that are left.
class TextTable {
 public:
  /// alignment: l or r for each column; further columns are left-aligned. least_widths: of columns,
  /// so that rows of several tables stand below each other.
  explicit TextTable(std::string alignment = "", std::vector<std::size_t> least_widths = {})
      : alignment_(std::move(alignment)), least_widths_(std::move(least_widths)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::vector<std::string> lines() const;
  /// Lines end in \n.
  [[nodiscard]] std::string text() const;

 private:
  std::string alignment_;
  std::vector<std::size_t> least_widths_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace nfold::core
