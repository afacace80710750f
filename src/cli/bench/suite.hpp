// Benchmark suite: a table line and complete result files after each system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/measure.hpp"
#include "cli/bench/rows.hpp"
#include "cli/bench/systems.hpp"
#include "comm/communicator.hpp"
#include "core/exit_code.hpp"
#include "device/compute_environment.hpp"
#include "device/job_devices.hpp"
#include "estimate/machine.hpp"

namespace nfold::bench {

struct SuiteOptions {
  std::vector<std::string> only;  ///< names; empty: the default choice
  std::vector<std::string> overrides;
  Timing timing;
  int threads = 0;
  std::string gpus;                           ///< value of --gpus; empty: the best for each rank
  std::uint64_t device_memory = 0;            ///< [bytes] limit of each rank; 0: none
  std::optional<std::int64_t> warm_up_steps;  ///< replaces each system's own
  std::string json, csv, against;             ///< files; empty: none
  bool overwrite = false;                     ///< result files may exist
  std::string machine;                        ///< machine whose entry gives estimates; empty: none
  std::optional<estimate::Machine> predicts;  ///< entry of `machine`
};

/// Collective. Prints on rank 0. Returns partly_failed if a system failed. Throws InputError and
/// storage::FileError before the first measurement.
[[nodiscard]] core::ExitCode run_suite(const comm::Communicator& communicator,
                                       const SuiteOptions& options);

/// Prints warnings about the devices to standard error.
void print_warnings(const device::ComputeEnvironment& compute);

/// Collective. Runs `work`. Returns one line if it fails on all ranks alike, or on a single rank
/// without others; empty on success. Rethrows other failures.
[[nodiscard]] std::string catch_failure(const comm::Communicator& communicator,
                                        const std::function<void()>& work);
/// Collective. Builds, warms up and measures one system; a failure becomes the result's reason
/// (catch_failure()). devices: those of these ranks; null: they are queried.
[[nodiscard]] BenchResult measure_system(const comm::Communicator& communicator,
                                         const BenchSystem& system, const SuiteOptions& options,
                                         std::shared_ptr<device::JobDevices> devices = nullptr);

}  // namespace nfold::bench
