// From the arguments of `nfold prepare` to the species of a system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "config/settings.hpp"
#include "prepare/prepare.hpp"

namespace nfold::prepare {

/// A species for each input, files as seen from the folder of `output`. Throws InputError for an
/// argument that names no file, record or species, StructureError for a FASTA file that is none.
[[nodiscard]] std::vector<config::SpeciesSettings> species_of(const PrepareOptions& options,
                                                              const std::filesystem::path& output);

/// The file of each input, without reading one.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const PrepareOptions& options);

/// The path that the input file `output` should hold: seen from its folder, absolute if given so.
[[nodiscard]] std::string path_for_input(const std::filesystem::path& output,
                                         const std::filesystem::path& file);

/// Name of the first species, which names the output too: as given, else of the record that is
/// chosen, else of the file. Reads no file.
[[nodiscard]] std::string first_name(const PrepareOptions& options);

}  // namespace nfold::prepare
