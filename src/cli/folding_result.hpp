// What the runs of the folding protocol found, read back from their files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "cli/batch_folder.hpp"

namespace nfold::cli {

/// Where the scan's heat capacity has its maximum; if that is at an end of its ladder, where half
/// of the native contacts that its coldest replicas have are lost [K]. AnalysisError if the file
/// holds no thermodynamics or the contacts are lost nowhere; io::FileError.
[[nodiscard]] double melting_kelvin(const std::filesystem::path& scan_file);
/// Folding temperature of the ladder's file [K]. As above.
[[nodiscard]] double folding_kelvin(const std::filesystem::path& ladder_file);

/// Fill the columns of the ladder and of the kinetics. gpu_seconds: what all runs were given.
void read_ladder(const std::filesystem::path& ladder_file, double gpu_seconds, ResultRow& row);
void read_kinetics(const std::filesystem::path& kinetics_file, ResultRow& row);

}  // namespace nfold::cli
