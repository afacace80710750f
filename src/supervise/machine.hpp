// Machine of the supervisor: its launcher, allocation and device test.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "supervise/allocation.hpp"
#include "supervise/device_health.hpp"
#include "supervise/start_command.hpp"

namespace nfold::supervise {

/// Returns the path of this executable.
[[nodiscard]] std::string this_program();

/// Returns the allocation from the environment of this process.
[[nodiscard]] Allocation current_allocation();
/// Returns properties of this host and process.
[[nodiscard]] HostInfo host_info(const Allocation& given);

/// Finds the launcher. asked: command of the user. Empty: srun within Slurm if it supports PMIx,
/// else mpirun. Returns a launcher without words if there is none.
[[nodiscard]] Launcher find_launcher(const std::string& asked, const Allocation& given);

/// Tests the devices by `command` (in a shell) or, if it is empty, by `nfold devices --json` on
/// each node. None if the command times out or its output cannot be parsed.
[[nodiscard]] std::optional<std::vector<NodeHealth>> test_devices(const std::string& command,
                                                                  const Launcher& launcher,
                                                                  const Allocation& given);

}  // namespace nfold::supervise
