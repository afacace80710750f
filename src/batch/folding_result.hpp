// Results of the folding protocol, read from the files of its runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "batch/folder.hpp"
#include "batch/verdict.hpp"

namespace nfold::batch {

/// Returns the temperature [K] at which the mean Q of replicas started native, after equilibration,
/// is halfway between the values of the coldest and the hottest. An upper estimate, since replicas
/// may not have had the time to unfold. Throws AnalysisError if too few contacts are lost, and
/// storage::FileError.
[[nodiscard]] double melting_kelvin(const std::filesystem::path& scan_file,
                                    std::int64_t equilibration_steps);
/// Returns the temperature [K] of the highest heat capacity in the ladder's file, whether or not it
/// is a folding temperature. None if the ladder has a gap.
[[nodiscard]] std::optional<double> highest_capacity_kelvin(
    const std::filesystem::path& ladder_file);

/// Fills the columns of the ladder. A folding temperature at an end of the ladder is only a bound,
/// which goes to the column `remark`. gpu_seconds: budget of all parts [s].
void read_ladder(const std::filesystem::path& ladder_file, double gpu_seconds, ResultRow& row,
                 FoldingFindings& found);
/// Fills the columns of the kinetics, the last part, and those of the verdict from all findings.
void read_kinetics(const std::filesystem::path& kinetics_file, ResultRow& row,
                   FoldingFindings& found);

}  // namespace nfold::batch
