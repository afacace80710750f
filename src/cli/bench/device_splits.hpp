// Division of work over devices for `nfold devices --split`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/splits.hpp"
#include "device/hardware/inventory.hpp"

namespace nfold::bench {

enum class SplitUnit { replicas, residues, targets };

/// Work to be divided.
struct SplitRequest {
  std::int64_t units = 0;  ///< above 0
  SplitUnit unit = SplitUnit::replicas;
  std::int64_t residues_per_unit = 0;  ///< residues of a replica or target; 0: unknown
  std::int64_t bytes_per_unit = 0;     ///< memory on a device; 0: unknown
};

/// Device that takes part.
struct SharingDevice {
  std::string host, name, uuid;                      ///< name: "GPU 0"; uuid: empty for a CPU
  std::optional<double> residue_steps_per_second{};  ///< measured
  core::DeviceSpeed known{};  ///< a unit of unknown size counts as one residue
};

struct StrategyShares {
  core::SplitStrategy strategy = core::SplitStrategy::equal;
  std::optional<core::Split> split{};  ///< none: refused
  std::string refusal{};               ///< reason of the refusal
};

struct DeviceSplits {
  SplitRequest request;
  std::vector<SharingDevice> devices;
  std::vector<std::string> left_out;       ///< other devices, with the reason
  std::vector<StrategyShares> strategies;  ///< all strategies, in the order of split_names()
  /// True if speeds were measured and the number of residues of a unit is known.
  [[nodiscard]] bool has_seconds() const;
};

/// Divides work over the GPUs that the job may use and that are fit; if there are none, over the
/// CPUs.
[[nodiscard]] DeviceSplits split_over_devices(const SplitRequest& request,
                                              std::span<const hardware::NodeInventory> nodes);

/// Returns a line per device, a column per strategy, and notes on the basis of the figures.
[[nodiscard]] std::string table_text(const DeviceSplits& splits);
[[nodiscard]] nlohmann::ordered_json json_of(const DeviceSplits& splits);

}  // namespace nfold::bench
