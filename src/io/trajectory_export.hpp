// Export of an H5MD trajectory to formats of other tools.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/frame_placement.hpp"
#include "io/trajectory.hpp"

namespace nfold::io {

/// Frames of a trajectory to export.
class ExportedFrames {
 public:
  /// All frames, as they are.
  explicit ExportedFrames(const TrajectoryReader& trajectory);
  /// frames: their numbers in the trajectory, ascending.
  ExportedFrames(const TrajectoryReader& trajectory, std::vector<std::int64_t> frames,
                 Placement placement = Placement::unchanged);

  [[nodiscard]] const TrajectoryDescription& description() const {
    return trajectory_.description();
  }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(frames_.size()); }
  [[nodiscard]] std::int64_t step(std::int64_t frame) const;
  [[nodiscard]] double time_ps(std::int64_t frame) const;
  /// Reads the positions of a frame, (residues) [nm], and places its chains.
  [[nodiscard]] std::vector<std::array<float, 3>> positions_nm(std::int64_t frame) const;

 private:
  const TrajectoryReader& trajectory_;
  std::vector<std::int64_t> frames_;
  ChainPlacer placer_;
};

/// Writes the frames to a DCD. Atomic. Returns a warning if the frames are not evenly spaced, else
/// an empty text: a DCD holds one interval, so times are then right for the first frames only.
std::string export_dcd(const ExportedFrames& frames, const std::filesystem::path& path);

/// Writes the frames to an XTC. Atomic. Returns a warning if a step has more than 31 bits, else an
/// empty text.
std::string export_xtc(const ExportedFrames& frames, const std::filesystem::path& path);

/// Writes the frames to a GSD. Atomic. Throws FileError without a box.
void export_gsd(const ExportedFrames& frames, const std::filesystem::path& path);

}  // namespace nfold::io
