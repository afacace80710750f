// Durations in the notation of people and batch systems.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace nfold::core {

/// Returns the seconds of "90", "90s", "30m", "1.5h", "2d", "MM:SS", "HH:MM:SS" or "D-HH:MM:SS"
/// (Slurm). Throws InputError naming `option` for any other text and for values <= 0.
[[nodiscard]] double parse_duration_seconds(const std::string& text, const std::string& option);

}  // namespace nfold::core
