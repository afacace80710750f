// Whose fault a failure is: the target's, its file system's, or a device's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/suspect.hpp"

namespace nfold::batch {

/// Why a target was handed back.
struct DeviceFailure {
  std::string reason;
  comm::Suspect suspect;  ///< the rank whose device it was, the same on all of a group
};

/// What is the target's own fault, or its file system's.
[[nodiscard]] bool is_targets_fault(const std::exception& failure);

/// The same on all ranks of the group: whom a silent error was traced to, or its only rank for what
/// no target is to blame for. None: not a device's fault, as far as can be told.
[[nodiscard]] std::optional<DeviceFailure> device_failure(const std::exception& failure,
                                                          const comm::Communicator& group);

}  // namespace nfold::batch
