// Profile of a run from input to end: clocks, memory, energy and the files that report them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "device/devices_of_job.hpp"
#include "device/memory_plan.hpp"
#include "dynamics/engine.hpp"
#include "hardware/energy_meter.hpp"
#include "job/output_paths.hpp"
#include "job/performance.hpp"
#include "job/rank_profile.hpp"
#include "job/run_options.hpp"

namespace nfold::run {

/// Profile of a run; it never changes a result. Inactive for a target of a batch, which the batch
/// profiles.
class RunProfile {
 public:
  /// Collective.
  RunProfile(const comm::Communicator& communicator, const job::RunOptions& options);

  /// Called once Kokkos is initialised.
  void devices_are_known(const device::DevicesOfJob& devices);
  /// Called before the first step; the time before counts as the start.
  void steps_begin(std::int64_t step);

  /// Data of the report besides the clocks.
  struct End {
    const config::Settings& settings;
    const job::OutputPaths& paths;
    std::int64_t last_step = 0;
    const device::MemoryPlan& planned;  ///< planned memory of this rank
    std::int64_t replicas = 0;          ///< number of replicas; 0: one simulation, with an engine
    dynamics::Engine* engine = nullptr;
    std::optional<job::Prediction> prediction{};  ///< estimate of a step; on rank 0
    std::optional<double>
        compared_step_seconds{};  ///< measured time that is compared with the prediction
  };
  /// Collective, after the last step. Writes the files and returns lines for the log, on rank 0.
  [[nodiscard]] std::vector<std::string> end(const End& end);

 private:
  void add_engine(const End& end, job::Performance& all, job::RankPerformance& mine) const;

  const comm::Communicator& communicator_;
  std::optional<job::RankProfile> clocks_;
  std::optional<telemetry::PhaseSpan> start_;
  std::optional<hardware::EnergyMeter> energy_;
  std::string gpu_;
  std::int64_t memory_there_bytes_ = -1, first_step_ = 0;
};

/// Returns a rank's time in all its steps by phase [us], from the times of the parts of one step.
/// rebuilds: number of rebuilds of its neighbour lists.
[[nodiscard]] telemetry::PhaseSeconds weights_of_parts(const std::vector<dynamics::PartTime>& parts,
                                                       std::int64_t steps, std::int64_t rebuilds);

}  // namespace nfold::run
