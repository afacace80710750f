// Simulation from input file to end, for `nfold run` and for each run of a batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/stall_report.hpp"
#include "core/exit_code.hpp"
#include "core/status/output_paths.hpp"
#include "device/compute_environment.hpp"
#include "engine/engine.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/run_log.hpp"
#include "session/job/run_options.hpp"
#include "session/setup/estimate_record.hpp"

namespace nfold::run {

/// State needed to report a failure, wherever it occurs.
struct RunRecord {
  status::OutputPaths paths;
  bool owns_folder = false;  ///< false: the status of another process must not be overwritten
  std::int64_t step = 0, steps = 0;
  bool is_resumed = false;              ///< true if resumed from a checkpoint
  setup::TimedSteps taken;              ///< steps of this session, once it has ended
  std::optional<estimate::JobRow> job;  ///< whole run with its measured parts; rank 0
  job::RunLog log;                      ///< silent except on rank 0
};

/// Simulation in stages: construction, begin(), any number of advance_until(), end(). Members are
/// collective, except settings(), topology() and step(). They pass on all exceptions of the parts.
class Simulation {
 public:
  /// Reads the input and builds the system. Touches no file of the output. The caller sets
  /// `record.paths`; all arguments outlive this.
  Simulation(const comm::Communicator& communicator, const job::RunOptions& options,
             std::optional<device::ComputeEnvironment>& compute, RunRecord& record);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Claims the folder and makes the first state, or reads that of the checkpoint. Creates
  /// `compute` if it is empty. The first checkpoint is on disk when it returns.
  void begin();
  /// See common::Session::advance_until().
  [[nodiscard]] std::string advance_until(std::int64_t step);
  /// Completes all files; see common::Session::end().
  [[nodiscard]] core::ExitCode end(const std::string& stop_reason);
  /// See common::Session::write_checkpoint().
  void write_checkpoint(const std::filesystem::path& path);

  [[nodiscard]] const input::Settings& settings() const;
  [[nodiscard]] const topology::Topology& topology() const;
  /// Present step, after begin().
  [[nodiscard]] std::int64_t step() const;
  /// Engine after begin(); null for an ensemble.
  [[nodiscard]] engine::Engine* engine();

 private:
  class Stages;
  std::unique_ptr<Stages> stages_;
};

/// Collective. Resumes from the output folder or starts anew, and runs until the last step, a
/// signal or the time limit: all stages of a Simulation.
[[nodiscard]] core::ExitCode simulate(const comm::Communicator& communicator,
                                      const job::RunOptions& options,
                                      std::optional<device::ComputeEnvironment>& compute,
                                      RunRecord& record);

/// Writes the reason to NAME.log, and to NAME.status if this run owns the folder. Does not throw.
void write_failure(RunRecord& record, const core::Failure& failure);
/// Writes to NAME.status, if this run owns the folder, that ranks wait for one that has stalled.
void write_stall(const RunRecord& record, const comm::StallReport& stall);

}  // namespace nfold::run
