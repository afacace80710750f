// Durations as a person or a batch system writes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace nfold::job {

/// Seconds of "90", "90s", "30m", "1.5h", "2d", "MM:SS", "HH:MM:SS" or "D-HH:MM:SS" (Slurm).
/// InputError naming `option` for anything else and for what is not > 0.
[[nodiscard]] double parse_duration_seconds(const std::string& text, const std::string& option);

}  // namespace nfold::job
