// Attribution of a failure to the target, its file system or a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "core/failure.hpp"

namespace nfold::batch {

/// Reason for which a target was handed back, and its rank withdrew.
struct DeviceFailure {
  core::Suspect suspect;  ///< Rank of the device. The same on all ranks of a group.
  std::string reason;
  core::Outcome outcome = core::Outcome::failure;
};

/// True if the target or its file system is at fault. On one rank: every failure except those of
/// MPI. In a group: only a failure that occurs on all its ranks alike.
[[nodiscard]] bool is_target_fault(const std::exception& failure, const comm::Communicator& group);

/// Returns the rank that a silent error was traced to, or the only rank of the group if its device
/// fails a test. The same on all ranks. None if no device is known to be at fault.
[[nodiscard]] std::optional<DeviceFailure> find_device_failure(const std::exception& failure,
                                                               const comm::Communicator& group);

}  // namespace nfold::batch
