// Results of the protocol chain, read from the file of its ensemble.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "batch/folder.hpp"
#include "input/settings.hpp"

namespace nfold::batch {

/// Fills the columns of a chain. A number whose samples do not suffice stays empty, and `reason` or
/// `remark` says why. step: last step of the ensemble. Throws AnalysisError for a file without the
/// tables, and storage::FileError.
void read_chain(const std::filesystem::path& ensemble_file, const input::Settings& settings,
                std::int64_t step, ResultRow& row);

}  // namespace nfold::batch
