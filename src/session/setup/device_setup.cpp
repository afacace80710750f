// Checked device requests.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/device_setup.hpp"

#include <fmt/format.h>

#include "comm/first_reason.hpp"
#include "core/failure.hpp"
#include "core/refusal.hpp"
#include "core/telemetry/progress.hpp"

namespace nfold::setup {
namespace {

std::int64_t pool_bytes(const input::Settings& settings) {
  constexpr std::int64_t bytes_per_mb = 1'000'000;
  return settings.devices.memory_pool_mb * bytes_per_mb;
}

}  // namespace

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

std::unique_ptr<device::MemoryPool> reserve_memory_pool(const comm::Communicator& communicator,
                                                        const input::Settings& settings) {
  if (settings.devices.memory_pool_mb == 0 || !device::computes_on_gpu()) return nullptr;
  std::unique_ptr<device::MemoryPool> pool;
  std::string trouble;
  try {
    pool = std::make_unique<device::MemoryPool>(pool_bytes(settings));
  } catch (const device::DeviceMemoryError& error) {
    trouble = fmt::format("rank {}: {}", communicator.rank(), error.what());
  }
  const auto first = comm::first_reason(communicator, trouble);
  if (first) throw core::Failure(first->text, core::Outcome::memory, core::Reach::all_ranks);
  return pool;
}

std::string describe_memory_pool(const comm::Communicator& communicator,
                                 const input::Settings& settings, const device::MemoryPool& pool) {
  return fmt::format("memory pool: {} reserved on the GPU of each rank, peak use {}",
                     telemetry::format_bytes(pool_bytes(settings)),
                     telemetry::format_bytes(communicator.max(pool.peak_bytes())));
}

void log_devices(job::RunLog& log, const device::ComputeEnvironment& compute) {
  for (const auto& text : compute.details()) log.detail(text);
  for (const auto& text : compute.notes()) log.note(text);
  for (const auto& text : compute.warnings()) log.warning(text);
}

}  // namespace nfold::setup
