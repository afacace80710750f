// Columns and records of a line of a PDB file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "model/structure/raw_residue.hpp"

namespace nfold::structure {

/// Returns columns first to last, counted from 1 and inclusive, as in the format description.
[[nodiscard]] inline std::string_view columns(std::string_view line, std::size_t first,
                                              std::size_t last) {
  return first > line.size() ? std::string_view{} : line.substr(first - 1, last - first + 1);
}

[[nodiscard]] inline bool is_record(std::string_view line, std::string_view record) {
  return trim(columns(line, 1, 6)) == record;
}

[[nodiscard]] inline bool is_atom(std::string_view line) {
  return columns(line, 1, 6) == "ATOM  " || columns(line, 1, 6) == "HETATM";
}

}  // namespace nfold::structure
