// From settings to a wish for devices, and what the log says of those that came of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "config/settings.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "hardware/choice.hpp"
#include "job/run_log.hpp"

namespace nfold::setup {

/// gpus_option: of --gpus, empty where it is not given. has_gpus: whether any rank computes on one.
/// InputError.
[[nodiscard]] hardware::DeviceWish device_wish(const config::DeviceSettings& settings,
                                               const std::string& gpus_option,
                                               bool has_gpus = device::computes_on_gpu());

void log_devices(job::RunLog& log, const device::ComputeEnvironment& compute);

}  // namespace nfold::setup
