// PSF, PDB and mmCIF of the beads, beside a trajectory: names, masses and bonds for VMD and
// MDAnalysis. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>

#include "io/trajectory.hpp"

namespace nfold::io {

/// X-PLOR PSF in the extended format, fields apart by blanks too (flag NAMD), so that it holds any
/// number of residues. Atomic. FileError.
void write_psf(const std::filesystem::path& path, const TrajectoryDescription& description);

/// One CA per residue; numbers that do not fit their column are hybrid-36. CONECT for the bonds, up
/// to 99,999 residues. FileError, also if a coordinate does not fit. Chains keep a letter that is
/// their name; others get free ones, and beyond 62 chains letters repeat: the segment (columns 73
/// to 76) is each chain's own.
void write_pdb(const std::filesystem::path& path, const TrajectoryDescription& description,
               std::span<const std::array<float, 3>> positions_nm);

/// The same as mmCIF (category atom_site), in which chains are A, B, ... Z, AA, ... and any number
/// of residues and any coordinate fits. Atomic. FileError.
void write_mmcif(const std::filesystem::path& path, const TrajectoryDescription& description,
                 std::span<const std::array<float, 3>> positions_nm);

/// A number in a field of `width` columns; beyond 10^width - 1 as hybrid-36 (Grosse-Kunstleve,
/// cctbx), "****" beyond that.
[[nodiscard]] std::string hybrid_36(std::int64_t value, int width);

}  // namespace nfold::io
