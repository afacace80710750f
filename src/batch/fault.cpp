// Attribution of failures by their type and by a test of the device.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/fault.hpp"

#include <string>

#include "comm/rank_record.hpp"
#include "device/device_test.hpp"
#include "session/job/failure.hpp"

namespace nfold::batch {
namespace {

bool is_of_mpi(const std::exception& failure) {
  return dynamic_cast<const comm::CommunicationError*>(&failure) != nullptr;
}

}  // namespace

bool is_target_fault(const std::exception& failure, const comm::Communicator& group) {
  return group.size() > 1 ? job::to_failure(failure).is_collective() : !is_of_mpi(failure);
}

std::optional<DeviceFailure> find_device_failure(const std::exception& failure,
                                                 const comm::Communicator& group) {
  const auto known = job::to_failure(failure);
  if (known.suspect()) return DeviceFailure{*known.suspect(), known.what(), known.outcome()};
  const bool is_of_this_rank = group.size() == 1 && !is_of_mpi(failure);
  if (!is_of_this_rank || known.is_collective() || device::device_computes()) {
    return std::nullopt;
  }
  return DeviceFailure{comm::own_suspect(), known.what()};
}

}  // namespace nfold::batch
