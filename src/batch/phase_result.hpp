// Results of the protocol phase, read from the observables of its slab.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "analysis/slab_coexistence.hpp"
#include "batch/folder.hpp"
#include "input/batch_file.hpp"
#include "input/settings.hpp"

namespace nfold::batch {

/// Most slabs of a target: each after the first is larger than the one before.
inline constexpr int most_slabs = 3;

/// Reads the state of a slab; one without two phases is no_samples unless the run was long enough
/// to say so. Throws AnalysisError for a file without it, and storage::FileError.
[[nodiscard]] analysis::SlabState read_slab_state(const std::filesystem::path& observables_file);

/// Makes a slab larger if its state asks for it: twice the chains of a thin slab, half as much more
/// length of a short box. Returns false, and changes nothing, for another state.
[[nodiscard]] bool extend_slab(analysis::SlabState state, input::Settings& settings);

/// Fills the columns of a slab. A number whose samples do not suffice stays empty or has a bound,
/// and `reason` or `remark` says why. step: last step of the run. Throws AnalysisError for a file
/// without the tables, and storage::FileError.
void read_phases(const std::filesystem::path& observables_file, const input::Settings& settings,
                 std::int64_t step, ResultRow& row);

/// Writes binodal.csv: the critical point of each protein at each salt and pH, from the finished
/// targets of a list. Throws FileError.
void write_binodal(const BatchFolder& folder, const input::BatchFile& list);

}  // namespace nfold::batch
