// Rows of results and failures, and detection of an earlier batch.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <tuple>

#include "batch/ledger.hpp"
#include "core/csv.hpp"
#include "core/storage/atomic_file.hpp"

namespace nfold::batch {

std::string ResultRow::header() { return fmt::format("{}", fmt::join(columns, ",")); }

void ResultRow::set(std::string_view column, std::string value) {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) throw std::invalid_argument("no column " + std::string(column));
  values_[static_cast<std::size_t>(found - columns.begin())] = std::move(value);
}
void ResultRow::set(std::string_view column, double value) {
  set(column, std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string());
}
void ResultRow::add_remark(const std::string& text) {
  if (text.empty()) return;
  const std::string before = get("remark");
  set("remark", before.empty() ? text : before + "; " + text);
}
std::string ResultRow::get(std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) throw std::invalid_argument("no column " + std::string(column));
  return values_[static_cast<std::size_t>(found - columns.begin())];
}

std::string ResultRow::line() const {
  return std::apply([](const auto&... values) { return core::csv_row(values...); }, values_);
}

std::optional<ResultRow> ResultRow::parse(std::string_view line) {
  const auto fields = core::csv_fields(line);
  if (fields.size() != columns.size()) return std::nullopt;
  ResultRow row;
  std::copy(fields.begin(), fields.end(), row.values_.begin());
  return row;
}

bool BatchFolder::has_begun() const {
  const std::filesystem::directory_iterator files(folder);
  return std::any_of(begin(files), end(files), [](const auto& entry) {
    const auto name = entry.path().filename().string();
    // A start may die while it writes its first file; nfold launch then leaves an incident file.
    const bool is_incident = name.starts_with("batch.") && (name.ends_with(".incidents.jsonl") ||
                                                            name.ends_with(".incidents.jsonl.tmp"));
    return is_ledger(entry.path()) || is_incident || name == "batch.yaml" ||
           name == "batch.yaml.tmp";
  });
}

std::optional<std::string> read_row(const std::filesystem::path& table) {
  std::ifstream file(table);
  std::string header, row;
  if (!std::getline(file, header) || !std::getline(file, row) || row.empty()) return std::nullopt;
  return row;
}

void write_table(const std::filesystem::path& table, std::string_view header,
                 const std::vector<std::filesystem::path>& rows) {
  std::string text = std::string(header) + "\n";
  for (const auto& path : rows) {
    if (const auto row = read_row(path)) text += *row + "\n";
  }
  storage::write_file_atomically(table, text);
}

}  // namespace nfold::batch
