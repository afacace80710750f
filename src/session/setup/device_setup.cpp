// Checked device requests.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/device_setup.hpp"

#include "core/refusal.hpp"

namespace nfold::setup {

hardware::DeviceWish to_device_request(const input::DeviceSettings& settings,
                                       const std::string& gpus_option, bool has_gpus) {
  hardware::DeviceWish wish;
  wish.max = settings.max;
  wish.keeps_binding = settings.binding == input::DeviceBinding::keep;
  for (const auto& text : settings.filter) {
    const auto condition = hardware::parse_condition(text);
    if (!condition) {
      core::refuse("devices.filter", "'" + text + "' is no condition",
                   "write name=TEXT, name!=TEXT, memory_gb>=N, free_memory_gb>=N, healthy or fit");
    }
    wish.filter.push_back(*condition);
  }
  if (gpus_option.empty()) return wish;
  if (!has_gpus) {
    core::refuse("--gpus " + gpus_option, "this nfold was built for CPUs and computes on no GPU",
                 "leave it out, or start a build for CUDA");
  }
  const auto problem = hardware::read_gpus_option(gpus_option, wish);
  if (!problem.empty()) {
    core::refuse("--gpus " + gpus_option, problem,
                 "write a count (2), numbers as nfold devices prints them (0,2,3), or all");
  }
  return wish;
}

void log_devices(job::RunLog& log, const device::ComputeEnvironment& compute) {
  for (const auto& text : compute.details()) log.detail(text);
  for (const auto& text : compute.notes()) log.note(text);
  for (const auto& text : compute.warnings()) log.warning(text);
}

}  // namespace nfold::setup
