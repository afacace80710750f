// NAME.replica-R.h5md and .csv: frames of chosen replicas of an ensemble.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/status/output_paths.hpp"
#include "input/settings.hpp"
#include "io/checkpoint.hpp"
#include "io/csv.hpp"
#include "io/sample_file.hpp"
#include "io/trajectory.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::ensemble {

/// All replicas at one step, before any exchange there.
struct ReplicaFrame {
  std::int64_t step = 0;
  const replicas::ReplicaSet& mine;                    ///< this rank's replicas
  std::int64_t first = 0;                              ///< number of this rank's first replica
  std::span<const io::ReplicaSample> samples;          ///< samples of this rank's replicas
  std::span<const system::ThermodynamicState> ladder;  ///< states, indexed by ReplicaSample::state
};

/// Trajectories of the replicas in ensemble.trajectory_replicas. A file follows one replica:
/// positions are continuous in time, and the temperature is that of the replica's state at the
/// frame. Rank 0 writes all files; only these replicas are sent to it.
class ReplicaTrajectories {
 public:
  /// Collective. Creates files, or truncates those of a checkpoint to its step (`resumed_from`;
  /// null: a new run); a missing file begins with the next frame. Throws storage::FileError as
  /// core::Failure. The referred-to objects outlive it.
  ReplicaTrajectories(const comm::Communicator& communicator, const status::OutputPaths& paths,
                      const input::Settings& settings, const topology::Topology& topology,
                      const io::CheckpointHeader* resumed_from);

  /// Steps between frames; 0: no replica was chosen.
  [[nodiscard]] std::int64_t every_steps() const { return every_steps_; }
  /// Collective. Writes one frame of each chosen replica.
  void write(const ReplicaFrame& now);
  /// Called on rank 0. Flushes the files to disk.
  void sync();
  /// Called on rank 0. Returns the frame counts for a checkpoint: "3:41:41" for 41 frames of
  /// replica 3 and as many rows of its table, joined by commas.
  [[nodiscard]] std::string counts() const;
  /// Called on rank 0.
  void close();
  /// Missing files of the checkpoint, for the log; on rank 0.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Files {
    std::int64_t replica;
    io::TrajectoryWriter trajectory;
    io::CsvWriter table;
  };
  [[nodiscard]] Files open(const status::OutputPaths& paths, std::int64_t replica,
                           const io::CheckpointHeader* resumed_from);
  void append(Files& files, const ReplicaFrame& now, const io::ReplicaSample& sample,
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
