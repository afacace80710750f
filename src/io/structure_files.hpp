// PSF, PDB and mmCIF files of the beads, for VMD and MDAnalysis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>

#include "io/trajectory.hpp"

namespace nfold::io {

/// Writes an X-PLOR PSF in the extended format with blanks between fields (flag NAMD), which holds
/// any number of residues. Atomic. Throws FileError.
void write_psf(const std::filesystem::path& path, const TrajectoryDescription& description);

/// Writes one CA per residue. Numbers that do not fit their column are hybrid-36. CONECT records
/// hold the bonds, up to 99,999 residues. Chains keep their name if it is one letter; others get
/// free letters, which repeat beyond 62 chains, while the segment (columns 73 to 76) stays unique.
/// Throws FileError, also if a coordinate does not fit.
void write_pdb(const std::filesystem::path& path, const TrajectoryDescription& description,
               std::span<const std::array<float, 3>> positions_nm);

/// Writes mmCIF (category atom_site) with chains A, B, ... Z, AA, ..., any number of residues and
/// any coordinate. Atomic. Throws FileError.
void write_mmcif(const std::filesystem::path& path, const TrajectoryDescription& description,
                 std::span<const std::array<float, 3>> positions_nm);

/// Formats a number in a field of `width` columns; beyond 10^width - 1 as hybrid-36
/// (Grosse-Kunstleve, cctbx), beyond that as "****".
[[nodiscard]] std::string hybrid_36(std::int64_t value, int width);

}  // namespace nfold::io
