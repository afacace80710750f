// Files of a target: its parts, its progress and its backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "batch/folder.hpp"
#include "core/status/output_paths.hpp"
#include "estimate/dispatch.hpp"

namespace nfold::batch {

/// Maximum number of attempts. Each halves the time step of the one before.
inline constexpr int most_attempts = 3;

/// Names of a target's parts, with the last part of the folding protocol first.
inline constexpr std::array<std::string_view, 8> stages_backwards{
    "kinetics", "ladder", "scan", "chain", "slab-3", "slab-2", "slab", "run"};

/// Returns the output paths of STAGE.yaml, in the folder STAGE beside it.
[[nodiscard]] status::OutputPaths stage_output_paths(const std::filesystem::path& input);
/// Reads the step of the last checkpoint from NAME.status. 0 without one.
[[nodiscard]] std::int64_t read_checkpoint_step(const status::OutputPaths& paths);
/// Returns "STAGE STEP" that the target would resume from, for the ledger. Empty if none.
[[nodiscard]] std::string read_progress(const BatchFolder& folder, const std::string& target);

/// Reads the backend from NAME.space.yaml or, if that is missing, from the provenance of the last
/// checkpoint. None for a target that has not begun.
[[nodiscard]] std::optional<estimate::Backend> read_backend(const BatchFolder& folder,
                                                            const std::string& target);
/// Writes NAME.space.yaml unless it exists. The target's folder must exist. Throws FileError.
void write_backend(const BatchFolder& folder, const std::string& target,
                   const estimate::Decision& decision);

}  // namespace nfold::batch
