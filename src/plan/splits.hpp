// How work of many equal units is shared out among unequal devices: five strategies by name.
// SPDX-License-Identifier: BSD-3-Clause
//
// A unit is a replica, a residue or a target. Which device computes which unit never enters a bit
// of the result, so a split may rest on scores and clocks; who splits does so on one rank for all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::plan {

/// What `devices.split` names.
enum class SplitStrategy : std::uint8_t {
  equal,           ///< the same number for each
  score,           ///< in proportion to DeviceSpeed::score
  measured_speed,  ///< in proportion to units per second; by score where one is not measured
  memory_aware,    ///< as measured_speed, but nobody gets more than its memory holds
  lowest_latency   ///< that ends soonest, with latencies, groups and memory; some may get none
};
/// "equal", "score", "measured-speed", "memory-aware", "lowest-latency", in the order of the enum.
[[nodiscard]] std::span<const std::string_view> split_names();
[[nodiscard]] std::string_view name_of(SplitStrategy strategy);
/// Whether it goes by measured speeds, and by scores only where there are none.
[[nodiscard]] bool wants_measured_speeds(SplitStrategy strategy);

/// Up to so many units take as long: devices compute in groups.
struct TimeStep {
  std::int64_t units = 0;
  double seconds = 0;
};

/// What is known of one device.
struct DeviceSpeed {
  double score = 100;                          ///< hardware's, above 0
  std::optional<double> units_per_second{};    ///< measured, above 0
  double seconds_before = 0;                   ///< of a step or block, whatever the number of units
  std::optional<std::int64_t> memory_bytes{};  ///< free; none: not known, so no limit
  /// Ascending in both; empty: as long as speed and latency say. Beyond the last, in proportion.
  std::vector<TimeStep> time_steps{};
};

/// What is to be shared out.
struct SharedWork {
  std::int64_t units = 0;
  std::int64_t units_at_least = 0;                ///< of each device, where there are so many
  double bytes_per_unit = 0, bytes_at_least = 0;  ///< memory of a device: b = at_least + n per_unit
  /// Units on the border of a part of n: factor * n^exponent. 2/3: parts of space; 0: ranges of a
  /// chain; factor 0: units of their own, as replicas are.
  double border_factor = 0, border_exponent = 2.0 / 3;
  double bytes_per_border_unit = 24;  ///< sent a step
};

struct Split {
  std::vector<std::int64_t> units;  ///< (devices), their sum is all
  std::vector<double> seconds;  ///< (devices) expected; in units of 100 / score unless is_measured
  bool is_measured = false;     ///< a device's speed is known
  double balance = 1;           ///< mean over largest of `seconds`, 0 to 1
  double communication_bytes = 0;  ///< sent in a step by all devices
  [[nodiscard]] double seconds_of_slowest() const;
};

/// Whole shares in proportion to the weights, by largest remainders; ties go to the first.
/// std::invalid_argument unless all weights are finite, >= 0 and one is > 0.
[[nodiscard]] std::vector<std::int64_t> shares_in_proportion(std::int64_t units,
                                                             std::span<const double> weights);

/// std::invalid_argument without devices, for numbers out of their ranges, and (memory_aware,
/// lowest_latency) where all devices together have no room: it says how much room there is.
[[nodiscard]] Split split(SplitStrategy strategy, std::span<const DeviceSpeed> devices,
                          const SharedWork& work);

/// "replicas are shared out by score: 5429 + 4571; expected ...": for a log. unit: in the plural.
[[nodiscard]] std::string in_words(SplitStrategy strategy, const Split& split,
                                   std::string_view unit);

}  // namespace nfold::plan
