// All-atom models of frames by the program PULCHRA.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "io/trajectory_export.hpp"

namespace nfold::cli {

/// Counts over all models. A clash: two atoms closer than 0.2 nm, of residues that are neither the
/// same nor neighbours along a chain.
struct AllAtomCounts {
  std::int64_t atoms = 0, clashes = 0;
};

/// Rebuilds all heavy atoms of each frame, chain by chain, with the command `pulchra` (Rotkiewicz
/// and Skolnick, J. Comput. Chem. 29, 1460 (2008)), and writes them as a PDB of a model each.
/// Atomic. Throws FileError: no such command, residues other than the twenty, chains too long for a
/// PDB.
AllAtomCounts write_all_atom(const std::filesystem::path& path, const io::ExportedFrames& frames);

}  // namespace nfold::cli
