// An H5MD trajectory in the formats that older tools read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "io/trajectory.hpp"

namespace nfold::io {

/// Every frame to a DCD. Returns a warning, empty if there is none: a DCD holds one interval, and
/// if the frames are not evenly spaced, their times in it are only right for the first ones.
std::string export_dcd(const TrajectoryReader& trajectory, const std::filesystem::path& path);

}  // namespace nfold::io
