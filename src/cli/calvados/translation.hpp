// Translation of a CALVADOS folder to an input of nfold and the files that it names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/calvados/folder.hpp"
#include "cli/calvados/molecule.hpp"

namespace nfold::calvados {

/// A file to write into the folder of the input.
struct TextFile {
  std::string name, text;
};
struct Translation {
  Folder folder;
  std::vector<ComponentMolecule> molecules;  ///< (folder.components)
  std::vector<Point> start_nm;               ///< (beads)
  std::vector<TextFile> files;               ///< the input first
  std::uint64_t equilibration_steps = 0;     ///< first steps of the run, of slab_eq
  std::vector<std::string> notes;            ///< deviations from the package, a line each
};

/// Reads and translates a folder. `overrides` are the values of --set. Throws core::InputError, one
/// line for each problem with file and key.
[[nodiscard]] Translation translate(const std::filesystem::path& folder,
                                    const std::vector<std::string>& overrides);

/// Default path of the input: FOLDER/nfold/SYSNAME.yaml.
[[nodiscard]] std::filesystem::path default_input(const Folder& folder);

}  // namespace nfold::calvados
