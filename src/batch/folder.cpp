// Rows of results and failures, and detection of an earlier batch.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "batch/ledger.hpp"
#include "core/csv.hpp"
#include "core/storage/atomic_file.hpp"

namespace nfold::batch {

namespace {

/// Returns the columns of all protocols.
const std::vector<std::string>& all_columns() {
  static const auto names = [] {
    auto all = core::split_csv_row(results_header);
    for (const auto header : {chains_header, phases_header}) {
      for (auto& column : core::split_csv_row(header)) {
        if (std::ranges::find(all, column) == all.end()) all.push_back(std::move(column));
      }
    }
    return all;
  }();
  return names;
}

std::size_t index_of(std::string_view column) {
  const auto found = std::ranges::find(all_columns(), column);
  if (found == all_columns().end()) throw std::invalid_argument("no column " + std::string(column));
  return static_cast<std::size_t>(found - all_columns().begin());
}

/// Returns the first two lines of a table. None if the file is missing or truncated.
std::optional<std::pair<std::string, std::string>> read_two_lines(
    const std::filesystem::path& table) {
  std::ifstream file(table);
  std::string header, row;
  if (!std::getline(file, header) || !std::getline(file, row) || row.empty()) return std::nullopt;
  return std::pair(std::move(header), std::move(row));
}

}  // namespace

std::string_view protocol_columns(input::Protocol protocol) {
  switch (protocol) {
    case input::Protocol::chain:
      return chains_header;
    case input::Protocol::phase:
      return phases_header;
    case input::Protocol::folding:
    case input::Protocol::run:
      break;
  }
  return results_header;
}

std::string_view results_columns(const input::BatchFile& list) {
  return list.only_protocol ? protocol_columns(*list.only_protocol) : results_header;
}

ResultRow::ResultRow() : values_(all_columns().size()) {}

void ResultRow::set(std::string_view column, std::string value) {
  values_[index_of(column)] = std::move(value);
}
void ResultRow::set(std::string_view column, double value) {
  set(column, std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string());
}
void ResultRow::add_remark(const std::string& text) {
  if (text.empty()) return;
  const std::string before = get("remark");
  set("remark", before.empty() ? text : before + "; " + text);
}
std::string ResultRow::get(std::string_view column) const { return values_[index_of(column)]; }

std::string ResultRow::line(std::string_view columns) const {
  std::vector<std::string> fields;
  for (const auto& column : core::split_csv_row(columns)) {
    fields.push_back(core::quote_csv_field(get(column)));
  }
  return fmt::format("{}", fmt::join(fields, ","));
}

std::optional<ResultRow> ResultRow::parse(std::string_view line, std::string_view columns) {
  const auto names = core::split_csv_row(columns);
  auto fields = core::split_csv_row(line);
  if (fields.size() != names.size()) return std::nullopt;
  ResultRow row;
  for (std::size_t c = 0; c < names.size(); ++c) row.set(names[c], std::move(fields[c]));
  return row;
}

std::optional<ResultRow> ResultRow::read(const std::filesystem::path& file) {
  const auto lines = read_two_lines(file);
  if (!lines) return std::nullopt;
  const auto& header = lines->first;
  if (header != results_header && header != chains_header && header != phases_header) {
    return std::nullopt;
  }
  return parse(lines->second, lines->first);
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
  auto lines = read_two_lines(table);
  if (!lines) return std::nullopt;
  return std::move(lines->second);
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
