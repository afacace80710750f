// Device requests from settings, and the log of the devices in use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

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

void log_devices(job::RunLog& log, const device::ComputeEnvironment& compute);

}  // namespace nfold::setup
