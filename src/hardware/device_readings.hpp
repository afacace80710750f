// What a display shows of one device while a run goes: memory, use, temperature, cheaply.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace nfold::hardware {

/// Of one moment. What cannot be told is empty.
struct DeviceReading {
  std::optional<std::int64_t> memory_used_bytes, memory_total_bytes;
  std::optional<double> utilisation;  ///< 0 to 1; of a process, of the processors it may use
  std::optional<int> temperature_celsius;
  std::optional<bool> is_throttled;  ///< by heat or by the hardware
};

/// Asks NVML for one GPU, or the system for this process; opened once, a sample takes well below a
/// millisecond. Not for several threads at once.
class DeviceReadings {
 public:
  /// Of the GPU with this UUID ("GPU-..."); of this process on the host where it is empty.
  explicit DeviceReadings(const std::string& gpu_uuid);
  ~DeviceReadings();
  DeviceReadings(DeviceReadings&&) noexcept;
  DeviceReadings& operator=(DeviceReadings&&) noexcept;

  [[nodiscard]] DeviceReading sample();
  /// Why nothing can be told; empty if something can.
  [[nodiscard]] const std::string& failure() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::hardware
