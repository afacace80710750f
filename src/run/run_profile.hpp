// What a run takes, from its input to its end: clocks, memory and energy, and the files that tell.
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

/// Nothing of it enters the bits. Of a target, the batch has clocks and tells.
class RunProfile {
 public:
  /// Collective.
  RunProfile(const comm::Communicator& communicator, const job::RunOptions& options);

  /// Once Kokkos is there.
  void devices_are_known(const device::DevicesOfJob& devices);
  /// What came before was the start.
  void steps_begin(std::int64_t step);

  /// What is to be told beside the clocks.
  struct End {
    const config::Settings& settings;
    const job::OutputPaths& paths;
    std::int64_t last_step = 0;
    const device::MemoryPlan& planned;  ///< of this rank
    std::int64_t replicas = 0;          ///< 0: one simulation, with an engine
    dynamics::Engine* engine = nullptr;
    std::optional<job::Prediction> prediction{};    ///< of a step; on rank 0
    std::optional<double> compared_step_seconds{};  ///< what it is held against
  };
  /// Collective: writes the files; lines for the log, on rank 0. After the last step.
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

/// What the parts of a step took a rank in all its steps, by phase [us]; `rebuilds`: of its lists.
[[nodiscard]] telemetry::PhaseSeconds weights_of_parts(const std::vector<dynamics::PartTime>& parts,
                                                       std::int64_t steps, std::int64_t rebuilds);

}  // namespace nfold::run
