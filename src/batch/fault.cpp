// Attribution of failures by their type and by a test of the device.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/fault.hpp"

#include <string>

#include "comm/rank_record.hpp"
#include "device/device_test.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/failure.hpp"
#include "session/job/host_memory.hpp"

namespace nfold::batch {
namespace {

bool is_of_mpi(const std::exception& failure) {
  return dynamic_cast<const comm::CommunicationError*>(&failure) != nullptr;
}

}  // namespace

bool is_target_fault(const std::exception& failure, const comm::Communicator& group) {
  return group.size() > 1 ? job::is_collective_failure(failure) : !is_of_mpi(failure);
}

std::optional<DeviceFailure> find_device_failure(const std::exception& failure,
                                                 const comm::Communicator& group) {
  const std::string reason = job::describe_failure(failure);
  if (const auto* const shared = dynamic_cast<const job::SharedFailure*>(&failure)) {
    if (!shared->suspect()) return std::nullopt;
    return DeviceFailure{reason, *shared->suspect()};
  }
  const bool is_of_this_rank = group.size() == 1 && !is_of_mpi(failure);
  if (!is_of_this_rank || job::is_collective_failure(failure) || device::device_computes()) {
    return std::nullopt;
  }
  return DeviceFailure{reason, comm::own_suspect("failure")};
}

}  // namespace nfold::batch
