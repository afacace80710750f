// Choice of the suite's systems: by name, or by what the machine measures in a few minutes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/bench/systems.hpp"
#include "comm/communicator.hpp"
#include "device/job_devices.hpp"

namespace nfold::bench {

/// Returns all systems, in the order of the table.
[[nodiscard]] const std::vector<BenchSystem>& bench_suite();

/// Returns the named systems in the order of the suite. Throws InputError that suggests the nearest
/// name.
[[nodiscard]] std::vector<BenchSystem> chosen_systems(const std::vector<std::string>& names);

/// Memory available to each rank: the minimum over ranks.
struct Capacity {
  bool on_gpu = false;
  int ranks = 1;
  std::int64_t device_bytes = 0, host_bytes = 0;  ///< free; without a GPU both are the same memory
};

/// Collective.
[[nodiscard]] Capacity free_capacity(const comm::Communicator& communicator,
                                     const device::JobDevices& devices);

/// Returns why a system is not in the default choice; empty if it is.
[[nodiscard]] std::string why_left_out(const BenchSystem& system, const Capacity& capacity);

/// Returns why a system cannot fit in any case; empty if it may. Called before anything is
/// allocated: a host that runs out of memory kills a process.
[[nodiscard]] std::string why_impossible(const BenchSystem& system, const Capacity& capacity);

}  // namespace nfold::bench
