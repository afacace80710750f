// Division of equal units of work among unequal devices, by five named strategies.
// SPDX-License-Identifier: BSD-3-Clause
//
// A unit is a replica, a residue or a target. Results are bitwise independent of the split, so it
// may depend on scores and timings. One rank computes it for all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::core {

/// Values of `devices.split`.
enum class SplitStrategy : std::uint8_t {
  equal,           ///< equal numbers of units
  score,           ///< in proportion to DeviceSpeed::score
  measured_speed,  ///< in proportion to units per second; by score if not measured
  memory_aware,    ///< measured_speed, limited by each device's memory
  lowest_latency   ///< soonest end, by latencies, groups and memory; some may get none
};
/// Returns "equal", "score", "measured-speed", "memory-aware", "lowest-latency", in the order of
/// the enum.
[[nodiscard]] std::span<const std::string_view> split_names();
[[nodiscard]] std::string_view name_of(SplitStrategy strategy);
/// True if it uses measured speeds, and scores only where there are none.
[[nodiscard]] bool uses_measured_speeds(SplitStrategy strategy);

/// Time of up to `units` units: devices compute in groups.
struct TimeStep {
  std::int64_t units = 0;
  double seconds = 0;
};

/// Known speed and memory of one device.
struct DeviceSpeed {
  double score = 100;                        ///< hardware score, above 0
  std::optional<double> units_per_second{};  ///< measured, above 0
  double seconds_before = 0;  ///< latency of a step or block, for any number of units
  std::optional<std::int64_t> memory_bytes{};  ///< free; none: unknown, no limit
  /// Ascending in both members; in proportion beyond the last. Empty: speed and latency give the
  /// time.
  std::vector<TimeStep> time_steps{};
};

/// Work to be divided.
struct SharedWork {
  std::int64_t units = 0;
  std::int64_t units_at_least = 0;  ///< per device, if there are so many
  double bytes_per_unit = 0,
         bytes_at_least = 0;  ///< memory of a device: bytes_at_least + n * bytes_per_unit
  /// Units on the border of a part of n units: factor * n^exponent. Exponent 2/3: regions of space;
  /// 0: ranges of a chain. Factor 0: independent units, such as replicas.
  double border_factor = 0, border_exponent = 2.0 / 3;
  double bytes_per_border_unit = 24;  ///< sent per step
};

struct Split {
  std::vector<std::int64_t> units;  ///< (devices) their sum is all units
  std::vector<double> seconds;  ///< (devices) estimate; in units of 100 / score unless is_measured
  bool is_measured = false;     ///< true if the speed of a device is measured
  double balance = 1;           ///< mean over largest of `seconds`, 0 to 1
  double communication_bytes = 0;  ///< sent per step by all devices
  [[nodiscard]] double seconds_of_slowest() const;
};

/// Returns integer shares in proportion to the weights, by largest remainders; ties go to the
/// first. Throws std::invalid_argument unless all weights are finite, >= 0 and one is > 0.
[[nodiscard]] std::vector<std::int64_t> shares_in_proportion(std::int64_t units,
                                                             std::span<const double> weights);

/// Throws std::invalid_argument without devices, for numbers out of range, and (memory_aware,
/// lowest_latency) if the memory of all devices is too small; the message gives its capacity.
[[nodiscard]] Split split(SplitStrategy strategy, std::span<const DeviceSpeed> devices,
                          const SharedWork& work);

/// Returns "replicas are shared out by score: 5429 + 4571; expected ..." for a log. unit: plural.
[[nodiscard]] std::string describe(SplitStrategy strategy, const Split& split,
                                   std::string_view unit);

}  // namespace nfold::core
