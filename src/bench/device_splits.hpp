// How work would be shared out over devices: what `nfold devices --split` tells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hardware/inventory.hpp"
#include "plan/splits.hpp"

namespace nfold::bench {

enum class SplitUnit { replicas, residues, targets };

/// What is to be shared out.
struct SplitQuestion {
  std::int64_t units = 0;  ///< above 0
  SplitUnit unit = SplitUnit::replicas;
  std::int64_t residues_per_unit = 0;  ///< of a replica or target; 0: not known
  std::int64_t bytes_per_unit = 0;     ///< memory on a device; 0: not known
};

/// One of those that share.
struct SharingDevice {
  std::string host, name, uuid;                      ///< "GPU 0"; no UUID: a CPU
  std::optional<double> residue_steps_per_second{};  ///< measured
  plan::DeviceSpeed known{};  ///< a unit of unknown size counts as one residue
};

struct StrategyShares {
  plan::SplitStrategy strategy = plan::SplitStrategy::equal;
  std::optional<plan::Split> split{};  ///< none: refused
  std::string refusal{};               ///< why
};

struct DeviceSplits {
  SplitQuestion question;
  std::vector<SharingDevice> devices;
  std::vector<std::string> left_out;       ///< other devices, with the reason
  std::vector<StrategyShares> strategies;  ///< all five, in the order of their names
  /// Speeds were measured, and it is known how many residues a unit has.
  [[nodiscard]] bool has_seconds() const;
};

/// GPUs that the job may use and that are fit; where there are none, the CPUs.
[[nodiscard]] DeviceSplits split_over_devices(const SplitQuestion& question,
                                              std::span<const hardware::NodeInventory> nodes);

/// A line a device, a column a strategy; what stands below it says what the figures rest on.
[[nodiscard]] std::string table_text(const DeviceSplits& splits);
[[nodiscard]] nlohmann::ordered_json json_of(const DeviceSplits& splits);

}  // namespace nfold::bench
