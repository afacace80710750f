// Samples of one device.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/device_readings.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "device/hardware/nvml.hpp"
#include "device/hardware/processor_time.hpp"
#include "device/hardware/processors.hpp"

namespace nfold::hardware {
namespace {

using nvml::query;
using Clock = std::chrono::steady_clock;

std::int64_t page_bytes() { return static_cast<std::int64_t>(sysconf(_SC_PAGESIZE)); }

std::optional<std::int64_t> resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  return file >> all >> resident ? std::optional(resident * page_bytes()) : std::nullopt;
}

}  // namespace

struct DeviceReadings::State {
  std::unique_ptr<nvml::Library> library;  // null: samples this process
  nvml::Device device = nullptr;
  std::string failure;
  Clock::time_point last = Clock::now();
  double last_seconds = processor_seconds();

  [[nodiscard]] telemetry::DeviceReading of_gpu() const {
    const auto& nvml = library->functions();
    telemetry::DeviceReading reading;
    if (const auto memory = query<nvml::Memory>(nvml.memory, device)) {
      reading.memory_used_bytes = static_cast<std::int64_t>(memory->used);
      reading.memory_total_bytes = static_cast<std::int64_t>(memory->total);
    }
    if (const auto use = query<nvml::Utilization>(nvml.utilization, device)) {
      reading.use = use->gpu * 1e-2;
    }
    reading.temperature_celsius =
        query<unsigned>(nvml.temperature, device, nvml::temperature_of_gpu);
    if (const auto bits = query<unsigned long long>(nvml.throttle_reasons, device)) {
      reading.is_throttled = (*bits & nvml::throttled_by_heat_or_hardware) != 0;
    }
    return reading;
  }

  [[nodiscard]] telemetry::DeviceReading of_process() {
    telemetry::DeviceReading reading;
    reading.is_gpu = false;
    reading.memory_used_bytes = resident_bytes();
    const auto pages = sysconf(_SC_PHYS_PAGES);
    if (pages > 0) reading.memory_total_bytes = pages * page_bytes();
    const auto now = Clock::now();
    const double seconds = processor_seconds();
    const double passed = std::chrono::duration<double>(now - last).count();
    const auto processors = bound_processors().count();
    if (passed > 0 && processors > 0) {
      reading.use = std::clamp(
          (seconds - last_seconds) / (passed * static_cast<double>(processors)), 0.0, 1.0);
    }
    last = now;
    last_seconds = seconds;
    return reading;
  }
};

DeviceReadings::DeviceReadings(const std::string& gpu_uuid) : state_(std::make_unique<State>()) {
  if (gpu_uuid.empty()) return;
  state_->library = std::make_unique<nvml::Library>();
  state_->failure = state_->library->failure();
  if (!state_->failure.empty()) return;
  const auto device =
      query<nvml::Device>(state_->library->functions().handle_by_uuid, gpu_uuid.c_str());
  if (device) {
    state_->device = *device;
  } else {
    state_->failure = "NVML lists no GPU " + gpu_uuid;
  }
}
DeviceReadings::~DeviceReadings() = default;
DeviceReadings::DeviceReadings(DeviceReadings&&) noexcept = default;
DeviceReadings& DeviceReadings::operator=(DeviceReadings&&) noexcept = default;

telemetry::DeviceReading DeviceReadings::sample() {
  if (!state_->failure.empty()) return {};
  return state_->library ? state_->of_gpu() : state_->of_process();
}

const std::string& DeviceReadings::failure() const { return state_->failure; }

}  // namespace nfold::hardware
