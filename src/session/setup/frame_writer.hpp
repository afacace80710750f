// Growing files of a run, trajectory and energies: new, or resumed at a checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/status/output_paths.hpp"
#include "input/settings.hpp"
#include "io/csv.hpp"
#include "io/trajectory.hpp"
#include "model/topology/topology.hpp"
#include "session/setup/report.hpp"
#include "session/setup/schedule.hpp"

namespace nfold::setup {

/// Initial state of the files: new, or truncated to a checkpoint.
struct FileStart {
  bool continues = false;
  std::int64_t step = 0;              ///< step of the checkpoint
  std::int64_t expected_frames = -1;  ///< up to that step; -1: unknown
  std::int64_t expected_rows = -1;    ///< rows of energies up to that step; -1: unknown
};

/// Writer of trajectory and energies. For one rank. Throws storage::FileError.
class FrameWriter {
 public:
  FrameWriter(const status::OutputPaths& paths, const topology::Topology& topology,
              const input::Settings& settings, const FileStart& start);

  /// Returns the events in `due` whose files lack the start step: all files at a new start, else
  /// new ones.
  [[nodiscard]] DueEvents missing_at_start(const DueEvents& due) const;
  /// Returns a sink for the positions of a frame; empty if none is due or there is no trajectory.
  /// Pass the sink to make_report() and the report to write(), which rethrows errors of the sink.
  [[nodiscard]] PositionSink take_frame(std::int64_t step, double time_ps, bool is_due);
  /// Returns a sink for a frame off the schedule (the last one before an explosion). Empty without
  /// a trajectory, or if the trajectory already ends with this step.
  [[nodiscard]] PositionSink take_last_frame(std::int64_t step, double time_ps);
  /// Writes the energies of `report` if they are due, and ends the frame of take_frame().
  void write(const Report& report, const DueEvents& due);
  /// Flushes all files to the disk. Called before each checkpoint.
  void sync();
  void close();
  /// Frames in the trajectory; 0 without one.
  [[nodiscard]] std::int64_t frame_count() const;
  /// Rows of energies; 0 without them.
  [[nodiscard]] std::int64_t row_count() const;
  /// Missing files to which the checkpoint refers, a sentence each, for the log.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  void open_energies(const status::OutputPaths& paths, const FileStart& start);
  void open_trajectory(const status::OutputPaths& paths, const topology::Topology& topology,
                       const FileStart& start);
  void write_frame(const Report& report);
  void add_note(std::string note);

  /// Frame in progress.
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

/// Returns a message if `path` is missing, with `expected` frames or rows (`what`) up to the
/// checkpoint of `step`; empty if nothing is missing.
[[nodiscard]] std::string missing_file_message(const std::filesystem::path& path,
                                               std::int64_t expected, const char* what,
                                               std::int64_t step);

/// Returns residues, bonds and observables of the trajectory. The topology must outlive the result
/// and its copies.
[[nodiscard]] io::TrajectoryDescription describe(const topology::Topology& topology);

}  // namespace nfold::setup
