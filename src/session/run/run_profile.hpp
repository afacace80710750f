// Profile of a run from input to end: clocks, memory, energy and the files that report them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/status/output_paths.hpp"
#include "device/hardware/energy_meter.hpp"
#include "device/hardware/processor_time.hpp"
#include "device/job_devices.hpp"
#include "device/memory_estimate.hpp"
#include "engine/engine.hpp"
#include "input/settings.hpp"
#include "session/job/performance.hpp"
#include "session/job/rank_profile.hpp"
#include "session/job/run_options.hpp"

namespace nfold::run {

/// Profile of a run; it never changes a result. Inactive for a target of a batch, which the batch
/// profiles.
class RunProfile {
 public:
  /// Collective.
  RunProfile(const comm::Communicator& communicator, const job::RunOptions& options);

  /// Called once Kokkos is initialised.
  void set_devices(const device::JobDevices& devices);
  /// Called before the first step; the time before counts as the start.
  void begin_steps(std::int64_t step);

  /// Data of the report besides the clocks.
  struct End {
    const input::Settings& settings;
    const status::OutputPaths& paths;
    std::int64_t last_step = 0;
    const device::MemoryEstimate& planned;  ///< planned memory of this rank
    std::int64_t replicas = 0;  ///< number of replicas; 0: one simulation, with an engine
    engine::Engine* engine = nullptr;
    double minimising_seconds = 0;  ///< time in which the first state was minimised
    std::optional<job::StepTimeEstimate> prediction{};  ///< estimate of a step; on rank 0
    std::optional<double>
        compared_step_seconds{};  ///< measured time that is compared with the prediction
    job::LoadBalanceCounts load_balance{};
  };
  /// Collective, after the last step. Writes the files and returns lines for the log, on rank 0.
  [[nodiscard]] std::vector<std::string> end(const End& end);
  /// Returns the parts of the job by the clock of this rank, once it has ended; none in a batch.
  [[nodiscard]] const std::optional<estimate::JobTime>& parts() const { return parts_; }

 private:
  void add_engine(const End& end, job::Performance& all, job::RankPerformance& mine) const;

  const comm::Communicator& communicator_;
  std::optional<job::RankProfile> clocks_;
  std::optional<telemetry::PhaseSpan> start_;
  std::optional<hardware::EnergyMeter> energy_;
  const double seconds_before_ = hardware::process_age_seconds();
  std::optional<estimate::JobTime> parts_;
  std::string gpu_;
  std::int64_t available_memory_bytes_ = -1, first_step_ = 0;
};

/// Returns a rank's time in all its steps by phase [us], from the times of the parts of one step.
/// rebuilds: number of rebuilds of its neighbour lists.
[[nodiscard]] telemetry::PhaseSeconds phase_weights(const std::vector<engine::PartTime>& parts,
                                                    std::int64_t steps, std::int64_t rebuilds);

}  // namespace nfold::run
