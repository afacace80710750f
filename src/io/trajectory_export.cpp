// Export of an H5MD trajectory as DCD.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/trajectory_export.hpp"

#include <fmt/format.h>

#include "io/dcd.hpp"

namespace nfold::io {

std::string export_dcd(const TrajectoryReader& trajectory, const std::filesystem::path& path) {
  const auto& steps = trajectory.steps();
  const auto& times = trajectory.times_ps();
  DcdTiming timing;
  if (!steps.empty()) timing.first_step = steps[0];
  if (steps.size() > 1) {
    timing.steps_per_frame = steps[1] - steps[0];
    timing.time_step_ps = (times[1] - times[0]) / static_cast<double>(timing.steps_per_frame);
  } else if (!steps.empty() && steps[0] > 0) {
    timing.time_step_ps = times[0] / static_cast<double>(steps[0]);
  }
  std::string warning;
  DcdWriter dcd(path, trajectory.description().residue_count(), timing,
                trajectory.description().box_nm);
  for (std::int64_t frame = 0; frame < trajectory.frame_count(); ++frame) {
    const auto step = steps[static_cast<std::size_t>(frame)];
    const auto even_step = timing.first_step + frame * timing.steps_per_frame;
    if (warning.empty() && step != even_step) {
      warning = fmt::format(
          "{}: frame {} is of step {}, not {}: the interval changed, and a DCD "
          "holds only one, so times from here on are wrong in it",
          path.string(), frame, step, even_step);
    }
    dcd.append_frame(trajectory.positions_nm(frame));
  }
  dcd.sync();
  return warning;
}

}  // namespace nfold::io
