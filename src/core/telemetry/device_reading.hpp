// Display of each device: its part of the work, memory, use, temperature.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nfold::telemetry {

/// Reading of one rank's device at one moment. Unknown values are left out.
struct DeviceReading {
  std::string name;               ///< "GPU 0", "node2 GPU 1"
  std::int64_t part = 0, of = 0;  ///< units of work of this device, of all
  std::optional<std::int64_t> memory_used_bytes, memory_total_bytes;
  std::optional<double> use, temperature_celsius;  ///< use: 0 to 1
  bool is_throttled = false;                       ///< by heat or by the hardware
  bool is_gpu = true;                              ///< false: processors of the host
  std::optional<double> progress;                  ///< progress of its current target, 0 to 1
};

/// Returns "GPU 0 2112/4224 replicas, memory 1.2 GiB/78 GiB, GPU use 97 %, 54 C". unit: "replicas".
[[nodiscard]] std::string describe_device(const DeviceReading& reading, const std::string& unit);

/// Returns all devices on one line, separated by "; ". With many devices only the first, and the
/// ranges of the rest.
[[nodiscard]] std::string device_line(std::span<const DeviceReading> readings,
                                      const std::string& unit);

/// Returns a line of at most `width` columns for each device, with a progress bar. With many
/// devices only the first, and the number of the rest.
[[nodiscard]] std::vector<std::string> device_screen(std::span<const DeviceReading> readings,
                                                     const std::string& unit, std::size_t width);

/// Returns "[####......]" with `columns` columns between the brackets.
[[nodiscard]] std::string bar(double fraction, std::size_t columns);

}  // namespace nfold::telemetry
