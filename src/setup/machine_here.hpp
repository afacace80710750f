// The machine that a plan is for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "hardware/inventory.hpp"
#include "plan/machine.hpp"

namespace nfold::setup {

/// wish: a built-in name or a file; empty: what $NFOLD_MACHINE names, else this computer.
/// document::InputError.
[[nodiscard]] plan::Machine machine_for(const std::string& wish);
/// Collective: of a built-in name or a file, which rank 0 reads. As machine_for(), and
/// job::SharedFailure where there is no such file.
[[nodiscard]] plan::Machine machine_named(const comm::Communicator& communicator,
                                          const std::string& wish);

/// A node of its own, by what it tells: as the built-in machine with such GPUs, or scaled.
[[nodiscard]] plan::Machine machine_like(const hardware::NodeInventory& node);

}  // namespace nfold::setup
