// Tables of the cases whose energies the CALVADOS package computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/csv.hpp"

namespace nfold::calvados {

inline const std::array<std::string, 9> case_names{
    "idr-large-box", "idrs-cold-salt",          "domains-elastic",
    "domains-go",    "homodimer-custom",        "slab-crowder",
    "rna-chains",    "phospho-cyclic-branched", "dsrna-elastic"};

inline std::filesystem::path case_folder(const std::string& name) {
  return std::filesystem::path(NFOLD_CASES) / name;
}

/// A row of a CSV file by the names of its columns.
struct CsvRow {
  std::map<std::string, std::string> fields;
  [[nodiscard]] const std::string& text(const std::string& column) const {
    return fields.at(column);
  }
  [[nodiscard]] double number(const std::string& column) const {
    return std::strtod(fields.at(column).c_str(), nullptr);
  }
  [[nodiscard]] int integer(const std::string& column) const {
    return std::atoi(fields.at(column).c_str());
  }
};

inline std::vector<CsvRow> read_csv(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> names;
  std::vector<CsvRow> rows;
  for (std::string line; std::getline(stream, line);) {
    auto fields = core::split_csv_row(line);
    if (names.empty()) {
      names = fields;
      continue;
    }
    fields.resize(names.size());
    auto& row = rows.emplace_back();
    for (std::size_t k = 0; k < names.size(); ++k) row.fields[names[k]] = fields[k];
  }
  return rows;
}

}  // namespace nfold::calvados
