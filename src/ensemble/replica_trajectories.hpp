// NAME.replica-R.h5md and .csv: what chosen replicas of an ensemble do, frame by frame.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "io/checkpoint.hpp"
#include "io/csv.hpp"
#include "io/sample_file.hpp"
#include "io/trajectory.hpp"
#include "job/output_paths.hpp"
#include "replicas/replica_set.hpp"
#include "topology/topology.hpp"

namespace nfold::ensemble {

/// All replicas at one step, before any exchange there.
struct ReplicaMoment {
  std::int64_t step = 0;
  const replicas::ReplicaSet& mine;                      ///< this rank's
  std::int64_t first = 0;                                ///< number of the first of them
  std::span<const io::ReplicaSample> samples;            ///< of them
  std::span<const replicas::ThermodynamicState> ladder;  ///< by ReplicaSample::state
};

/// The replicas of ensemble.trajectory_replicas. A file follows one replica: positions are
/// continuous in time, and the temperature is what the replica has at that frame. Rank 0 writes
/// all files; only these replicas travel to it.
class ReplicaTrajectories {
 public:
  /// Collective. New files, or those of a checkpoint cut to its step (`continued_from`; null: a new
  /// run); a file that is not there begins with the next frame. storage::FileError as
  /// SharedFailure. The referred-to objects outlive it.
  ReplicaTrajectories(const comm::Communicator& communicator, const job::OutputPaths& paths,
                      const config::Settings& settings, const topology::Topology& topology,
                      const io::CheckpointHeader* continued_from);

  /// Steps between frames; 0: no replica was chosen.
  [[nodiscard]] std::int64_t every_steps() const { return every_steps_; }
  /// Collective. One frame of each chosen replica.
  void write(const ReplicaMoment& now);
  /// For rank 0. Everything is on the disk; returns what a checkpoint keeps as its frames:
  /// "3:41:41" for 41 of replica 3 and as many rows of its table, joined by commas.
  [[nodiscard]] std::string sync();
  /// For rank 0.
  void close();
  /// For rank 0. Files that the checkpoint counts on and that are not there, for the log.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Files {
    std::int64_t replica;
    io::TrajectoryWriter trajectory;
    io::CsvWriter table;
  };
  [[nodiscard]] Files open(const job::OutputPaths& paths, std::int64_t replica,
                           const io::CheckpointHeader* continued_from);
  void append(Files& files, const ReplicaMoment& now, const io::ReplicaSample& sample,
              std::span<const std::array<double, 3>> positions_nm);

  const comm::Communicator& communicator_;
  const topology::Topology& topology_;
  std::vector<std::int64_t> chosen_;
  std::int64_t every_steps_ = 0;
  double time_step_ps_;
  std::vector<Files> files_;  // rank 0
  std::vector<std::string> notes_;
};

}  // namespace nfold::ensemble
