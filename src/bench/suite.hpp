// The benchmark suite: system after system, a table while it runs, files that are whole after each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/rows.hpp"
#include "bench/systems.hpp"
#include "comm/communicator.hpp"
#include "device/compute_environment.hpp"
#include "device/devices_of_job.hpp"
#include "job/exit_code.hpp"
#include "plan/machine.hpp"

namespace nfold::bench {

/// Collective: what a measured system was, with all rows as they are then; of replicas none.
using Look =
    std::function<void(const config::Settings&, const topology::Topology&, const system::State&)>;

struct SuiteOptions {
  std::vector<std::string> only;  ///< names; empty: the default choice
  std::vector<std::string> overrides;
  Timing timing;
  int threads = 0;
  std::string gpus;                           ///< of --gpus; empty: the best for each rank
  std::uint64_t device_memory = 0;            ///< [bytes] the most that a rank may take; 0: all
  std::optional<std::int64_t> warm_up_steps;  ///< in place of each system's own
  std::string json, csv, against;             ///< files; empty: none
  bool overwrite = false;                     ///< files of results may exist
  std::string machine;                        ///< by whose entry steps are predicted; empty: none
  std::optional<plan::Machine> predicts;      ///< that machine
  Look look;                                  ///< called after the measurement, where it is there
};

/// Collective. Prints on rank 0. partly_failed if a system failed; InputError and
/// storage::FileError before the first is measured.
[[nodiscard]] job::ExitCode run_suite(const comm::Communicator& communicator,
                                      const SuiteOptions& options);

/// What a user should mend of the devices, on standard error.
void tell_warnings(const device::ComputeEnvironment& compute);

/// Collective: does what concerns one system. A failure that all ranks meet alike, and any failure
/// of a rank alone in its world, is returned as a line; others are thrown on. Empty: none.
[[nodiscard]] std::string reason_of_failure(const comm::Communicator& communicator,
                                            const std::function<void()>& work);
/// Collective: builds, warms up and measures one system; reason_of_failure() is the result's.
/// devices: of these ranks; null: they are asked for.
[[nodiscard]] BenchResult measure_system(const comm::Communicator& communicator,
                                         const BenchSystem& system, const SuiteOptions& options,
                                         std::shared_ptr<device::DevicesOfJob> devices = nullptr);

}  // namespace nfold::bench
