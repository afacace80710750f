// PSF, PDB and mmCIF files of the beads, for VMD and MDAnalysis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/trajectory.hpp"

namespace nfold::io {

using Append = std::function<void(const std::string& text)>;
/// Writes a file of any length. write(append) hands its parts to append. Atomic. Throws FileError.
void write_in_parts(const std::filesystem::path& path,
                    const std::function<void(const Append& append)>& write);

/// Returns the index of each residue's chain. A chain ends where the name changes.
[[nodiscard]] std::vector<std::size_t> chain_indices(const TrajectoryDescription& description);

/// Writes an X-PLOR PSF in the extended format with blanks between fields (flag NAMD), which holds
/// any number of residues. Atomic. Throws FileError.
void write_psf(const std::filesystem::path& path, const TrajectoryDescription& description);

/// Returns the positions (residues) [nm] of a frame, counted from 0.
using FrameReader = std::function<std::vector<std::array<float, 3>>(std::int64_t frame)>;

/// Writes one CA per residue, and a model for each of several frames. Numbers that do not fit their
/// column are hybrid-36. CONECT records hold the bonds, up to 99,999 residues. Chains keep their
/// name if it is one letter; others get free letters, which repeat beyond 62 chains, while the
/// segment (columns 73 to 76) stays unique. Atomic. Throws FileError, also if a coordinate does not
/// fit.
void write_pdb(const std::filesystem::path& path, const TrajectoryDescription& description,
               std::int64_t frames, const FrameReader& read);
void write_pdb(const std::filesystem::path& path, const TrajectoryDescription& description,
               std::span<const std::array<float, 3>> positions_nm);

/// Writes mmCIF (category atom_site) with chains A, B, ... Z, AA, ..., any number of residues and
/// any coordinate, and a model for each of several frames. Atomic. Throws FileError.
void write_mmcif(const std::filesystem::path& path, const TrajectoryDescription& description,
                 std::int64_t frames, const FrameReader& read);
void write_mmcif(const std::filesystem::path& path, const TrajectoryDescription& description,
                 std::span<const std::array<float, 3>> positions_nm);

/// Formats a number in a field of `width` columns; beyond 10^width - 1 as hybrid-36
/// (Grosse-Kunstleve, cctbx), beyond that as "****".
[[nodiscard]] std::string hybrid_36(std::int64_t value, int width);

}  // namespace nfold::io
