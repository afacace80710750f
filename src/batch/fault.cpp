// Kinds of failure by whose fault they are.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/fault.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "analysis/frame.hpp"
#include "comm/rank_record.hpp"
#include "device/device_memory.hpp"
#include "job/collective_work.hpp"
#include "job/failure.hpp"
#include "job/host_memory.hpp"

namespace nfold::batch {

bool is_targets_fault(const std::exception& failure) {
  const auto is = [&failure](auto* kind) {
    return dynamic_cast<std::remove_pointer_t<decltype(kind)>*>(&failure) != nullptr;
  };
  return job::met_by_all(failure) || is(static_cast<const device::DeviceMemoryError*>(nullptr)) ||
         is(static_cast<const job::HostMemoryError*>(nullptr)) ||
         is(static_cast<const analysis::AnalysisError*>(nullptr)) ||
         is(static_cast<const std::bad_alloc*>(nullptr)) ||
         is(static_cast<const std::invalid_argument*>(nullptr));
}

std::optional<DeviceFailure> device_failure(const std::exception& failure,
                                            const comm::Communicator& group) {
  const std::string reason = job::message_of(failure);
  if (const auto* const shared = dynamic_cast<const job::SharedFailure*>(&failure)) {
    if (!shared->suspect()) return std::nullopt;
    return DeviceFailure{reason, *shared->suspect()};
  }
  const bool is_of_mpi = dynamic_cast<const comm::CommunicationError*>(&failure) != nullptr;
  if (group.size() > 1 || is_of_mpi || is_targets_fault(failure)) return std::nullopt;
  return DeviceFailure{reason, comm::own_suspect("failure")};
}

}  // namespace nfold::batch
