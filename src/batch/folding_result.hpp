// What the runs of the folding protocol found, read back from their files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "batch/folder.hpp"
#include "batch/verdict.hpp"

namespace nfold::batch {

/// Where replicas that began native have lost half of the contacts that the coldest ones have more
/// than the hottest [K], by the mean Q of each temperature after equilibration: too high rather
/// than too low, for they may not have had the time. AnalysisError if they lose too few for that.
/// storage::FileError.
[[nodiscard]] double melting_kelvin(const std::filesystem::path& scan_file,
                                    std::int64_t equilibration_steps);
/// Temperature at which the heat capacity of the ladder's file is highest [K], be it a folding
/// temperature or not; none across a gap of the ladder.
[[nodiscard]] std::optional<double> highest_capacity_kelvin(
    const std::filesystem::path& ladder_file);

/// Fill the columns of the ladder. A folding temperature at an end of the ladder is no number but a
/// bound, told as `remark`. gpu_seconds: what all parts were given.
void read_ladder(const std::filesystem::path& ladder_file, double gpu_seconds, ResultRow& row,
                 FoldingFindings& found);
/// The same of the kinetics, the last part: the verdict then follows from all that was found.
void read_kinetics(const std::filesystem::path& kinetics_file, ResultRow& row,
                   FoldingFindings& found);

}  // namespace nfold::batch
