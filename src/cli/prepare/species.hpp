// Species of a system from the arguments of `nfold prepare`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "cli/prepare/prepare.hpp"
#include "input/settings.hpp"

namespace nfold::prepare {

/// Returns one species per input, with file paths relative to the folder of `output`. Throws
/// InputError for an argument that names no file, record or species, StructureError for an invalid
/// FASTA file.
[[nodiscard]] std::vector<input::SpeciesSettings> read_species(const PrepareOptions& options,
                                                               const std::filesystem::path& output);

/// Returns the file of each input without reading any.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const PrepareOptions& options);

/// Returns the path to write into the input file `output`: relative to its folder, or absolute if
/// given so.
[[nodiscard]] std::string path_for_input(const std::filesystem::path& output,
                                         const std::filesystem::path& file);

/// Returns the name of the first species, which also names the output: as given, else that of the
/// selected record, else that of the file. Reads no file.
[[nodiscard]] std::string first_name(const PrepareOptions& options);

}  // namespace nfold::prepare
