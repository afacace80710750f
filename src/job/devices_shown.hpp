// What displays and the log say of the devices of all ranks while they compute.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "hardware/device_readings.hpp"
#include "telemetry/device_reading.hpp"
#include "telemetry/step_clock.hpp"

namespace nfold::job {

/// Each rank asks for its own device, at most every two seconds.
class DevicesShown {
 public:
  /// gpu_uuid: of this rank; empty: it computes on the host. unit: of the parts, "replicas".
  DevicesShown(const comm::Communicator& communicator, const std::string& gpu_uuid,
               std::string unit);

  /// Collective: this rank has `part` of `all` units of work. Rank 0 knows all of them then.
  void gather(std::int64_t part, std::int64_t all);
  /// On rank 0, of the last gather().
  [[nodiscard]] const std::vector<telemetry::DeviceReading>& readings() const { return readings_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }

 private:
  const comm::Communicator& communicator_;
  std::string gpu_uuid_, unit_, name_;
  std::optional<hardware::DeviceReadings> device_;  // opened when it is first asked for
  hardware::DeviceReading latest_;
  telemetry::SecondsClock seconds_ = telemetry::steady_seconds();
  double next_sample_ = 0;
  std::vector<telemetry::DeviceReading> readings_;
};

}  // namespace nfold::job
