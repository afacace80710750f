// Whether two files of a run hold the same content, and where they differ.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "storage/file_error.hpp"

namespace nfold::io {

/// What differs or is missing in one of two files of one kind, a line each; empty: the same.
/// Of HDF5 files (checkpoints, trajectories, observables, ensembles, targets) every dataset and
/// attribute counts but where they come from (/provenance, /h5md/creator, creator_version), with
/// the first row, both values and how many rows differ; how HDF5 laid them out does not count. Of
/// tables (.csv) every line counts. FileError if a file cannot be read, is damaged or of no such
/// kind. On one rank; some 64 MB of memory.
[[nodiscard]] std::vector<std::string> compare_files(const std::filesystem::path& a,
                                                     const std::filesystem::path& b);

}  // namespace nfold::io
