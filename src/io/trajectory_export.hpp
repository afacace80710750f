// Export of an H5MD trajectory to formats of older tools.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "io/trajectory.hpp"

namespace nfold::io {

/// Writes every frame to a DCD. Returns a warning if the frames are not evenly spaced, else an
/// empty text: a DCD holds one interval, so times are then right for the first frames only.
std::string export_dcd(const TrajectoryReader& trajectory, const std::filesystem::path& path);

}  // namespace nfold::io
