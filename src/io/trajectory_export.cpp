// Export of an H5MD trajectory as DCD, XTC and GSD.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/trajectory_export.hpp"

#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <utility>

#include "core/storage/atomic_file.hpp"
#include "io/dcd.hpp"
#include "io/gsd.hpp"
#include "io/xtc.hpp"

namespace nfold::io {

namespace {

/// Returns the interval of the first two frames, or for a single frame its time over its step.
DcdTiming dcd_timing(const ExportedFrames& frames) {
  DcdTiming timing;
  if (frames.count() == 0) return timing;
  timing.first_step = frames.step(0);
  if (frames.count() > 1) {
    timing.steps_per_frame = frames.step(1) - frames.step(0);
    timing.time_step_ps =
        (frames.time_ps(1) - frames.time_ps(0)) / static_cast<double>(timing.steps_per_frame);
  } else if (frames.step(0) > 0) {
    timing.time_step_ps = frames.time_ps(0) / static_cast<double>(frames.step(0));
  }
  return timing;
}

}  // namespace

ExportedFrames::ExportedFrames(const TrajectoryReader& trajectory)
    : ExportedFrames(trajectory, std::vector<std::int64_t>(
                                     static_cast<std::size_t>(trajectory.frame_count()))) {
  std::iota(frames_.begin(), frames_.end(), 0);
}

ExportedFrames::ExportedFrames(const TrajectoryReader& trajectory, std::vector<std::int64_t> frames,
                               Placement placement)
    : trajectory_(trajectory),
      frames_(std::move(frames)),
      placer_(trajectory.description(), placement) {}

std::int64_t ExportedFrames::step(std::int64_t frame) const {
  return trajectory_.steps()[static_cast<std::size_t>(frames_[static_cast<std::size_t>(frame)])];
}

double ExportedFrames::time_ps(std::int64_t frame) const {
  return trajectory_.times_ps()[static_cast<std::size_t>(frames_[static_cast<std::size_t>(frame)])];
}

std::vector<std::array<float, 3>> ExportedFrames::positions_nm(std::int64_t frame) const {
  auto positions = trajectory_.positions_nm(frames_[static_cast<std::size_t>(frame)]);
  placer_.place(positions);
  return positions;
}

std::string export_dcd(const ExportedFrames& frames, const std::filesystem::path& path) {
  const auto timing = dcd_timing(frames);
  std::string warning;
  storage::write_atomically(path, [&](const std::filesystem::path& temporary) {
    const auto& description = frames.description();
    DcdWriter dcd(temporary, description.residue_count(), timing, description.box_nm);
    for (std::int64_t frame = 0; frame < frames.count(); ++frame) {
      const auto even_step = timing.first_step + frame * timing.steps_per_frame;
      if (warning.empty() && frames.step(frame) != even_step) {
        warning = fmt::format(
            "{}: frame {} is of step {}, not {}: the interval changed, and a DCD "
            "holds only one, so times from here on are wrong in it",
            path.string(), frame, frames.step(frame), even_step);
      }
      dcd.append_frame(frames.positions_nm(frame));
    }
    dcd.sync();
  });
  return warning;
}

std::string export_xtc(const ExportedFrames& frames, const std::filesystem::path& path) {
  std::string warning;
  storage::write_atomically(path, [&](const std::filesystem::path& temporary) {
    const auto& description = frames.description();
    XtcWriter xtc(temporary, description.residue_count(), description.box_nm);
    for (std::int64_t frame = 0; frame < frames.count(); ++frame) {
      constexpr auto most = std::numeric_limits<std::int32_t>::max();
      if (warning.empty() && frames.step(frame) > most) {
        warning = fmt::format(
            "{}: steps from frame {} on are written as {}, the largest that an XTC holds; times "
            "are "
            "right",
            path.string(), frame, most);
      }
      xtc.append_frame(frames.step(frame), frames.time_ps(frame), frames.positions_nm(frame));
    }
    xtc.sync();
  });
  return warning;
}

void export_gsd(const ExportedFrames& frames, const std::filesystem::path& path) {
  storage::write_atomically(path, [&](const std::filesystem::path& temporary) {
    GsdWriter gsd(temporary, frames.description());
    for (std::int64_t frame = 0; frame < frames.count(); ++frame) {
      gsd.append_frame(frames.step(frame), frames.time_ps(frame), frames.positions_nm(frame));
    }
    gsd.finish();
  });
}

}  // namespace nfold::io
