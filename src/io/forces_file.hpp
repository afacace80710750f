// Forces on all beads of several configurations, as CSV or HDF5.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/storage/file_error.hpp"

namespace nfold::io {

struct ForceTable {
  std::vector<std::int64_t> frames;                    ///< number of each configuration
  std::size_t beads = 0;                               ///< beads of each configuration
  std::vector<std::array<double, 3>> force_kj_mol_nm;  ///< (frames, beads)
};

/// Returns a row for each frame and bead; beads are counted from 1.
[[nodiscard]] std::string forces_csv(const ForceTable& forces);
/// Writes the datasets frame (frames) and force_kj_mol_nm (frames, beads, 3). Atomic. Throws
/// FileError.
void write_forces_hdf5(const std::filesystem::path& path, const ForceTable& forces);

}  // namespace nfold::io
