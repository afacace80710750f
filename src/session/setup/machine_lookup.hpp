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

/// Returns a machine of one node from its inventory: the built-in machine with the same GPU, or a
/// scaled one.
[[nodiscard]] estimate::Machine estimate_machine(const hardware::NodeInventory& node);

}  // namespace nfold::setup
