// How far a target has come, by the files in its folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "batch/folder.hpp"
#include "job/output_paths.hpp"

namespace nfold::batch {

/// The time step is halved from each to the next.
inline constexpr int most_attempts = 3;

/// Names of a target's parts, the last of the folding protocol first.
inline constexpr std::array<std::string_view, 4> stages_backwards{"kinetics", "ladder", "scan",
                                                                  "run"};

/// STAGE/ beside STAGE.yaml.
[[nodiscard]] job::OutputPaths output_of(const std::filesystem::path& input);
/// Of the last checkpoint, by NAME.status; 0 without one.
[[nodiscard]] std::int64_t step_of(const job::OutputPaths& paths);

/// "STAGE STEP" that the target goes on from, for the ledger.
[[nodiscard]] std::string place_of(const BatchFolder& folder, const std::string& target);
/// Of the same part; empty if none has begun. The file need not be there.
[[nodiscard]] std::filesystem::path last_checkpoint_of(const BatchFolder& folder,
                                                       const std::string& target);

}  // namespace nfold::batch
