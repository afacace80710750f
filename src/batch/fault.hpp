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

/// A failure of one rank is its target's or its file system's, but one of MPI. Of a group, only
/// what all its ranks meet alike.
[[nodiscard]] bool is_targets_fault(const std::exception& failure, const comm::Communicator& group);

/// The rank that a silent error was traced to, or the only rank of the group if its device fails a
/// test; the same on all ranks. None: not a device's fault, as far as can be told.
[[nodiscard]] std::optional<DeviceFailure> device_failure(const std::exception& failure,
                                                          const comm::Communicator& group);

}  // namespace nfold::batch
