// Comparison of the content of two files of a run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/storage/file_error.hpp"

namespace nfold::io {

/// Lists the differences of two files of one kind, one line each; empty if their content is equal.
/// HDF5 files (checkpoints, trajectories, observables, ensembles, targets): compares every dataset
/// and attribute except their origin (/provenance, /h5md/creator, creator_version), and reports the
/// first row that differs, both values and the number of differing rows; the HDF5 layout is
/// ignored. Tables (.csv): compares every line. Throws FileError if a file cannot be read, is
/// damaged or is of no such kind. For one rank; uses about 64 MB of memory.
[[nodiscard]] std::vector<std::string> compare_files(const std::filesystem::path& a,
                                                     const std::filesystem::path& b);

}  // namespace nfold::io
