// Readings of one device for displays: memory, use, temperature.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "core/telemetry/device_reading.hpp"

namespace nfold::hardware {

/// Samples one GPU through NVML, or this process through the system. Opened once; a sample takes
/// well below a millisecond. Not thread-safe.
class DeviceReadings {
 public:
  /// Samples the GPU with this UUID ("GPU-..."), or this process on the host if it is empty.
  explicit DeviceReadings(const std::string& gpu_uuid);
  ~DeviceReadings();
  DeviceReadings(DeviceReadings&&) noexcept;
  DeviceReadings& operator=(DeviceReadings&&) noexcept;

  /// Returns memory, use, temperature and throttling; use of a process: share of the processors
  /// that it may run on.
  [[nodiscard]] telemetry::DeviceReading sample();
  /// Reason why there are no readings; empty if there are.
  [[nodiscard]] const std::string& failure() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::hardware
