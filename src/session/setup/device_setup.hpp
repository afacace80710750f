// Device requests from settings, and the log of the devices in use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "comm/communicator.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/choice.hpp"
#include "input/settings.hpp"
#include "session/job/run_log.hpp"

namespace nfold::setup {

/// Returns the device request. gpus_option: value of --gpus, empty if not given. has_gpus: true if
/// any rank computes on a GPU. Throws InputError.
[[nodiscard]] hardware::DeviceWish to_device_request(const input::DeviceSettings& settings,
                                                     const std::string& gpus_option,
                                                     bool has_gpus = device::computes_on_gpu());

/// Collective: reserves devices.memory_pool_mb on the GPU of each rank. Null if the key is 0 or the
/// ranks compute on CPUs. Throws core::Failure on all ranks if a GPU has less memory free.
[[nodiscard]] std::unique_ptr<device::MemoryPool> reserve_memory_pool(
    const comm::Communicator& communicator, const input::Settings& settings);
/// Collective: returns "memory pool: 4 GB reserved on each GPU, peak use 3.1 GB", for the fullest
/// rank.
[[nodiscard]] std::string describe_memory_pool(const comm::Communicator& communicator,
                                               const input::Settings& settings,
                                               const device::MemoryPool& pool);

void log_devices(job::RunLog& log, const device::ComputeEnvironment& compute);

}  // namespace nfold::setup
