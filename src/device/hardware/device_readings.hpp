// Readings of one device for displays: memory, use, temperature.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace nfold::hardware {

/// Readings at one moment. Unknown values are empty.
struct DeviceReading {
  std::optional<std::int64_t> memory_used_bytes, memory_total_bytes;
  std::optional<double> utilisation;  ///< 0 to 1; for a process, of the processors that it may use
  std::optional<int> temperature_celsius;
  std::optional<bool> is_throttled;  ///< by heat or by the hardware
};

/// Samples one GPU through NVML, or this process through the system. Opened once; a sample takes
/// well below a millisecond. Not thread-safe.
class DeviceReadings {
 public:
  /// Samples the GPU with this UUID ("GPU-..."), or this process on the host if it is empty.
  explicit DeviceReadings(const std::string& gpu_uuid);
  ~DeviceReadings();
  DeviceReadings(DeviceReadings&&) noexcept;
  DeviceReadings& operator=(DeviceReadings&&) noexcept;

  [[nodiscard]] DeviceReading sample();
  /// Reason why there are no readings; empty if there are.
  [[nodiscard]] const std::string& failure() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::hardware
