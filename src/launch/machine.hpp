// The machine that launch starts on: its launcher, what a scheduler gave, the test of its devices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/allocation.hpp"
#include "launch/device_health.hpp"
#include "launch/start_command.hpp"

namespace nfold::launch {

/// This program's own file.
[[nodiscard]] std::string this_program();

/// Of this process.
[[nodiscard]] Allocation allocation_here();
[[nodiscard]] Here here(const Allocation& given);

/// asked: words of the user; empty: srun inside Slurm where it speaks PMIx, else mpirun. One
/// without words if there is none.
[[nodiscard]] Launcher find_launcher(const std::string& asked, const Allocation& given);

/// By `command` (in a shell) or, if empty, by this program's `devices --json` on each node. None:
/// it cannot tell, for it does not end in time, or writes something else.
[[nodiscard]] std::optional<std::vector<NodeHealth>> test_devices(const std::string& command,
                                                                  const Launcher& launcher,
                                                                  const Allocation& given);

}  // namespace nfold::launch
