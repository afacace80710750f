// Device readings of all ranks for the progress display and the log.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/telemetry/device_reading.hpp"
#include "core/telemetry/step_clock.hpp"
#include "device/hardware/device_readings.hpp"

namespace nfold::common {

/// Device readings; each rank samples its own device, at most every two seconds.
class DeviceMonitor {
 public:
  /// gpu_uuid: GPU of this rank; empty: the host. unit, units: name and number of the units of work
  /// of all ranks, "replicas".
  DeviceMonitor(const comm::Communicator& communicator, const std::string& gpu_uuid,
                std::string unit, std::int64_t units);

  /// Collective: gathers the readings on rank 0. This rank has `part` of the units of work.
  void gather(std::int64_t part);
  /// Readings of the last gather(), on rank 0 only.
  [[nodiscard]] const std::vector<telemetry::DeviceReading>& readings() const { return readings_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }

 private:
  const comm::Communicator& communicator_;
  std::string gpu_uuid_, unit_;
  std::int64_t units_;
  std::string name_;
  std::optional<hardware::DeviceReadings> device_;  // opened on first use
  telemetry::DeviceReading latest_;
  telemetry::SecondsClock seconds_ = telemetry::steady_seconds();
  double next_sample_ = 0;
  std::vector<telemetry::DeviceReading> readings_;
};

}  // namespace nfold::common
