// File with a column for each result of a batch, in plain HDF5.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/storage/file_error.hpp"

namespace nfold::io {

/// Dataset of texts, of numbers (NaN: not known) or of offsets.
struct ResultColumn {
  std::string name;
  std::variant<std::vector<std::string>, std::vector<double>, std::vector<std::int64_t>> values;
};

/// Writes the file, completely or not at all. The same columns give the same bytes. Throws
/// FileError. For one rank.
void write_results(const std::filesystem::path& path, std::span<const ResultColumn> columns);

}  // namespace nfold::io
