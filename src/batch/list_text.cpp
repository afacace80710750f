// Entries of a list from FASTA records and CSV rows.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/list_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "core/csv.hpp"
#include "core/document/document.hpp"
#include "core/document/scalars.hpp"
#include "core/lines.hpp"
#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "input/batch_file.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"
#include "input/named_files.hpp"
#include "model/structure/fasta.hpp"
#include "model/structure/structure.hpp"
#include "session/job/host_memory.hpp"

namespace nfold::batch {
namespace {

namespace fs = std::filesystem;

/// Reads a text that may be longer than an input file, which read_input_text() cuts.
std::string read_whole(const fs::path& file) {
  auto text = input::read_input_text(file);
  if (text.size() <= document::largest_input_bytes) return text;
  return core::read_text(file).value_or(std::move(text));
}

bool is_table(const fs::path& file) { return file.extension() == ".csv"; }

std::vector<ListedSequence> sequences_of_fasta(const fs::path& file) {
  const auto records = job::with_host_memory("reading " + file.string(), [&] {
    return structure::parse_fasta(structure::read_structure_bytes(file), file.string());
  });
  std::vector<ListedSequence> sequences;
  sequences.reserve(records.size());
  for (const auto& record : records) sequences.push_back({record.name, record.sequence, {}});
  return sequences;
}

/// Returns the section and the key of a column, "dynamics" and "steps". A column may leave out the
/// sections dynamics and force_field.
std::pair<std::string, std::string> find_key_of(const std::string& column,
                                                const std::string& where) {
  for (const char* section : {"", "dynamics.", "force_field."}) {
    const std::string name = section + column;
    const auto dot = name.find('.');
    const bool has_one_section = dot != std::string::npos && dot == name.rfind('.');
    if (has_one_section && input::find_key(name) != nullptr) {
      return {name.substr(0, dot), name.substr(dot + 1)};
    }
  }
  core::refuse(where, fmt::format("column '{}'", column),
               "columns are name, sequence, and keys of the input such as temperature_kelvin, "
               "ionic_strength_molar, ph or dynamics.steps ('nfold help' lists them)");
}

/// A blank row has an entry without a name.
std::vector<ListedSequence> sequences_of_table(const fs::path& file) {
  const std::string text = read_whole(file);
  std::vector<std::string> columns;
  std::vector<std::pair<std::string, std::string>> keys;  // (columns) empty for name and sequence
  std::vector<ListedSequence> sequences;
  for (core::Lines lines(text); lines.next();) {
    const auto fields = core::split_csv_row(lines.line());
    const auto where = fmt::format("{}:{}", file.string(), lines.number());
    if (lines.number() == 1) {
      columns = fields;
      for (const auto& column : columns) {
        const bool is_own = column == "name" || column == "sequence";
        keys.push_back(is_own ? std::pair<std::string, std::string>() : find_key_of(column, where));
      }
      for (const char* column : {"name", "sequence"}) {
        if (std::ranges::count(columns, column) == 1) continue;
        core::refuse(where, fmt::format("no column '{}', or two", column),
                     "the first line names the columns: name,sequence,temperature_kelvin");
      }
      continue;
    }
    auto& sequence = sequences.emplace_back();
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != columns.size()) {
      core::refuse(where, fmt::format("{} fields, {} columns", fields.size(), columns.size()),
                   "give each row a field for each column; it may be empty");
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c] == "name") {
        sequence.name = fields[c];
      } else if (columns[c] == "sequence") {
        sequence.sequence = fields[c];
      } else if (!fields[c].empty()) {
        sequence.set(keys[c].first, keys[c].second,
                     document::to_real(fields[c]) ? fields[c] : core::quote_yaml(fields[c]));
      }
    }
  }
  return sequences;
}

/// Each row of a table has the same line number in the list.
std::string entries_of(const fs::path& file) {
  std::string text;
  for (const auto& one : read_sequences(file)) {
    const auto input = one.input();
    text += one.is_blank() ? "\n"
                           : fmt::format("- {{name: {}, sequence: {}{}}}\n",
                                         core::quote_yaml(input::to_name(one.name)),
                                         core::quote_yaml(one.sequence),
                                         input.empty() ? "" : ", input: {" + input + "}");
  }
  return text;
}

ListText text_of_folder(const fs::path& folder) {
  std::vector<fs::path> sequences;
  bool has_others = false;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto& file = entry.path();
    const bool is_other = input::is_structure_name(file) || file.extension() == ".yaml";
    has_others = has_others || is_other;
    if (!is_other && entry.is_regular_file(error) &&
        (is_table(file) || structure::is_fasta_file(file))) {
      sequences.push_back(file);
    }
  }
  const auto name = folder / "targets";
  if (sequences.empty()) return {input::batch_of_folder(folder), name};
  if (has_others) {
    core::refuse(folder.string(), "holds sequences beside structures or input files",
                 "give each kind a folder of its own, or write a list");
  }
  std::ranges::sort(sequences);
  std::string text = "targets:\n";
  for (const auto& file : sequences) {
    text += entries_of(file);
  }
  return {std::move(text), name};
}

}  // namespace

void ListedSequence::set(const std::string& section, const std::string& key,
                         const std::string& value) {
  auto& text = sections[section];
  text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, value);
}

std::string ListedSequence::input() const {
  std::string text;
  for (const auto& [section, values] : sections) {
    text += fmt::format("{}{}: {{{}}}", text.empty() ? "" : ", ", section, values);
  }
  return text;
}

std::vector<ListedSequence> read_sequences(const fs::path& file) {
  return is_table(file) ? sequences_of_table(file) : sequences_of_fasta(file);
}

ListText read_list_text(const fs::path& targets) {
  std::error_code unknown;  // reading the file throws a better message
  if (fs::is_directory(targets, unknown)) return text_of_folder(targets);
  if (is_table(targets) || structure::is_fasta_file(targets)) {
    return {"targets:\n" + entries_of(targets), targets};
  }
  return {read_whole(targets), targets, false};
}

}  // namespace nfold::batch
