// Which bits of two checkpoints differ.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/file_error.hpp"

namespace nfold::io {

/// Every dataset and attribute outside /provenance that differs or is missing in one of the files,
/// a line each, with the first residue (or row), both values and how many rows differ. Empty: the
/// same bytes. FileError if a file cannot be read or is damaged. On one rank.
[[nodiscard]] std::vector<std::string> compare_checkpoints(const std::filesystem::path& a,
                                                           const std::filesystem::path& b);

}  // namespace nfold::io
