// The files that grow while a run goes on: trajectory and energies, behind a checkpoint or new.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "io/csv.hpp"
#include "io/trajectory.hpp"
#include "job/output_paths.hpp"
#include "setup/report.hpp"
#include "setup/schedule.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

/// Where the files begin: anew, or cut to a checkpoint.
struct FileStart {
  bool continues = false;
  std::int64_t step = 0;              ///< of the checkpoint
  std::int64_t expected_frames = -1;  ///< up to that step; -1: not known
  std::int64_t expected_rows = -1;    ///< of energies, likewise
};

/// For one rank. storage::FileError.
class FrameWriter {
 public:
  FrameWriter(const job::OutputPaths& paths, const topology::Topology& topology,
              const config::Settings& settings, const FileStart& start);

  /// Whether a file of those due at the start step lacks it: at a new start, and where a file is
  /// new although the run is not.
  [[nodiscard]] DueEvents missing_at_start(const DueEvents& due) const;
  /// Takes the positions of a frame for the trajectory, if one is due; else empty. A report is made
  /// with it and then written. What fails on the way is thrown by then.
  [[nodiscard]] PositionSink frame_of(std::int64_t step, double time_ps, bool is_due);
  /// One more frame off the schedule (the last good one of an explosion), if there is a trajectory
  /// that does not end with it.
  [[nodiscard]] PositionSink last_frame_of(std::int64_t step, double time_ps);
  /// Writes energies if they are due of `report`, and ends the frame that has been taken.
  void write(const Report& report, const DueEvents& due);
  /// Everything written is on the disk; before each checkpoint.
  void sync();
  void close();
  /// Frames in the trajectory; 0 without one.
  [[nodiscard]] std::int64_t frame_count() const;
  /// Rows of energies; 0 without them.
  [[nodiscard]] std::int64_t row_count() const;
  /// Files that the checkpoint counts on and that are not there, a sentence each, for the log.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void open_energies(const job::OutputPaths& paths, const FileStart& start);
  void open_trajectory(const job::OutputPaths& paths, const topology::Topology& topology,
                       const FileStart& start);
  void write_frame(const Report& report);
  void add_note(std::string note);

  /// A frame that is being taken.
  struct Frame {
    bool has_begun = false;
    std::exception_ptr failure;
  };
  std::vector<ReportColumn> columns_;
  std::optional<Frame> frame_;
  std::optional<io::CsvWriter> energies_;
  std::optional<io::TrajectoryWriter> trajectory_;
  std::vector<std::string> notes_;
  bool energies_are_new_ = false, trajectory_is_new_ = false;
  std::int64_t last_frame_step_ = -1;
};

/// What to say where `path`, which had `expected` frames or rows (`what`) up to a checkpoint, is
/// not there; empty if nothing is missing.
[[nodiscard]] std::string told_of_missing(const std::filesystem::path& path, std::int64_t expected,
                                          const char* what, std::int64_t step);

/// Who is in the trajectory. The topology must outlive it and its copies.
[[nodiscard]] io::TrajectoryDescription describe(const topology::Topology& topology);

}  // namespace nfold::setup
