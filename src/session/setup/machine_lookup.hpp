// Machine for which nfold plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "device/hardware/inventory.hpp"
#include "estimate/machine.hpp"

namespace nfold::setup {

/// Returns the machine `wish`, a built-in name or a file. Empty: the one that $NFOLD_MACHINE names,
/// else this computer. Throws core::InputError.
[[nodiscard]] estimate::Machine machine_for(const std::string& wish);
/// Returns machine_for("") as it was at the first call; the default machine if it cannot be read.
[[nodiscard]] const estimate::Machine& machine_here();
/// Collective: returns the machine with a built-in name, or that of a file, which rank 0 reads.
/// Throws core::InputError, and core::Failure if there is no such file.
[[nodiscard]] estimate::Machine machine_named(const comm::Communicator& communicator,
                                              const std::string& wish);

/// Sets cores and host memory to those of a node.
void set_host(estimate::Machine& machine, const hardware::NodeInventory& node);
/// Sets name and memory, and with_speed also multiprocessors and clock, to those of a GPU.
void set_gpu(estimate::DataSheet& sheet, const hardware::Gpu& gpu, bool with_speed);
/// Returns the first GPU of a node that this program can use; null if there is none.
[[nodiscard]] const hardware::Gpu* first_usable_gpu(const hardware::NodeInventory& node);

/// Returns a machine of one node from its inventory: the built-in machine with the same GPU, or a
/// scaled one.
[[nodiscard]] estimate::Machine estimate_machine(const hardware::NodeInventory& node);

}  // namespace nfold::setup
