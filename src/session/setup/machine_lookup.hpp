// Machine for which nfold plans.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "device/hardware/inventory.hpp"
#include "estimate/machine.hpp"

namespace nfold::setup {

/// Returns the machine `wish`: the name of a site's entry or of a built-in one, a file, or "here",
/// this computer with all of its devices. Empty: the first that $NFOLD_MACHINE names, else here.
/// Throws core::InputError.
[[nodiscard]] estimate::Machine machine_for(const std::string& wish);
/// Returns the machines of a question: names and files separated by commas, of a folder all
/// entries. Here has only the devices that are free. Throws core::InputError.
[[nodiscard]] std::vector<estimate::Machine> machines_for(const std::string& wish);
/// Returns the entries of this site by name: *.yaml of nfold/machines in $XDG_CONFIG_HOME or
/// ~/.config. The entry `here` is that of this computer.
[[nodiscard]] std::vector<std::filesystem::path> site_machine_files();
/// Returns machine_for("") as it was at the first call; the default machine if it cannot be read.
[[nodiscard]] const estimate::Machine& machine_here();
/// Collective: returns the machine of a name or a file, which rank 0 reads.
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
/// Returns what is free of a node: without unfit GPUs, without GPUs that others keep busy and
/// without busy cores, with the free memory, each GPU with the speed that others leave it. Notes
/// list what is left out. entry: the node's own entry, if there is one.
[[nodiscard]] estimate::Machine free_machine(hardware::NodeInventory node,
                                             const std::optional<estimate::Machine>& entry = {});

}  // namespace nfold::setup
