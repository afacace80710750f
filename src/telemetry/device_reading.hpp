// What a display says of each device: its part of the work, memory, use, temperature.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nfold::telemetry {

/// A moment of one rank's device. What is not known is left out.
struct DeviceReading {
  std::string name;               ///< "GPU 0", "node2 GPU 1"
  std::int64_t part = 0, of = 0;  ///< units of work that it has, of all
  std::optional<std::int64_t> memory_used_bytes, memory_total_bytes;
  std::optional<double> use, temperature_celsius;  ///< use: 0 to 1
  bool is_throttled = false;                       ///< by heat or by the hardware
  bool is_gpu = true;                              ///< otherwise processors of the host
  std::optional<double> progress;                  ///< of its current work, 0 to 1
};

/// unit: "replicas". "GPU 0 2112/4224 replicas, memory 1.2 GiB/78 GiB, GPU use 97 %, 54 C".
[[nodiscard]] std::string device_words(const DeviceReading& reading, const std::string& unit);

/// All of them on one line, "; " between two; of many the first, and the extremes of the rest.
[[nodiscard]] std::string device_line(std::span<const DeviceReading> readings,
                                      const std::string& unit);

/// A line each with a bar of its progress, none wider than `width`; of many the first, and how many
/// more there are.
[[nodiscard]] std::vector<std::string> device_screen(std::span<const DeviceReading> readings,
                                                     const std::string& unit, std::size_t width);

/// "[####......]" of so many columns between the brackets.
[[nodiscard]] std::string bar(double fraction, std::size_t columns);

}  // namespace nfold::telemetry
