// Devices of an inventory, and all split strategies side by side.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/device_splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "device/hardware/health.hpp"
#include "device/hardware/score.hpp"

namespace nfold::bench {
namespace {

/// Ghosts of a part of n residues of a dense phase, over n^(2/3): 620 chains of FUS on 4 ranks
/// (src/README.md, "Choices").
constexpr double ghosts_factor = 14.5;

/// Returns why a GPU gets nothing; empty if it shares.
std::string why_left_out(const hardware::Gpu& gpu, std::span<const hardware::NodeInventory> nodes) {
  if (!gpu.is_visible) return "hidden";
  const auto health = hardware::assess_health(gpu, hardware::same_model_devices(gpu, nodes));
  return health.level == hardware::HealthLevel::unfit ? "unfit" : "";
}

core::DeviceSpeed known_of(const hardware::MeasuredSpeed& measured, double score,
                           std::optional<std::int64_t> free_bytes, const SplitRequest& request) {
  constexpr double smallest_score = 1e-3;  // weights must be above 0
  core::DeviceSpeed known;
  known.score = std::max(smallest_score, score);
  known.memory_bytes = free_bytes;
  if (measured.residue_steps_per_second) {
    const auto residues = static_cast<double>(std::max<std::int64_t>(1, request.residues_per_unit));
    known.units_per_second = *measured.residue_steps_per_second / residues;
    // Parts of one system exchange ghosts in every step.
    if (request.unit == SplitUnit::residues) {
      known.seconds_before = measured.exchange_latency_seconds.value_or(0);
    }
  }
  return known;
}

void add_gpus(std::span<const hardware::NodeInventory> nodes, DeviceSplits& splits) {
  for (const auto& node : nodes) {
    for (const auto& gpu : node.gpus) {
      const auto name = fmt::format("GPU {}", gpu.index);
      if (const auto why = why_left_out(gpu, nodes); !why.empty()) {
        splits.left_out.push_back(fmt::format("{} of {} is {}", name, node.host, why));
        continue;
      }
      splits.devices.push_back({node.host, name, gpu.uuid, gpu.measured.residue_steps_per_second,
                                known_of(gpu.measured, hardware::available_score(gpu),
                                         gpu.memory_free_bytes, splits.request)});
    }
  }
}

void add_cpus(std::span<const hardware::NodeInventory> nodes, DeviceSplits& splits) {
  for (const auto& node : nodes) {
    splits.devices.push_back({node.host, "CPU", "", node.cpu.measured.residue_steps_per_second,
                              known_of(node.cpu.measured, hardware::available_score(node.cpu),
                                       node.cpu.memory_free_bytes, splits.request)});
  }
}

/// Lists nodes without a GPU, whose CPU would only slow down the GPUs of others.
void list_nodes_without_gpu(std::span<const hardware::NodeInventory> nodes, DeviceSplits& splits) {
  for (const auto& node : nodes) {
    const bool shares =
        std::any_of(splits.devices.begin(), splits.devices.end(),
                    [&node](const SharingDevice& device) { return device.host == node.host; });
    if (!shares) splits.left_out.push_back(fmt::format("{} has no GPU that can share", node.host));
  }
}

core::SharedWork work_of(const SplitRequest& request) {
  core::SharedWork work;
  work.units = request.units;
  work.bytes_per_unit = static_cast<double>(request.bytes_per_unit);
  // Like an ensemble: a replica's time shows when a slow device is fast again.
  if (request.unit == SplitUnit::replicas) work.units_at_least = 1;
  if (request.unit == SplitUnit::residues) work.border_factor = ghosts_factor;
  return work;
}

}  // namespace

bool DeviceSplits::has_seconds() const {
  return request.residues_per_unit > 0 &&
         std::any_of(devices.begin(), devices.end(),
                     [](const SharingDevice& device) { return device.known.units_per_second; });
}

DeviceSplits split_over_devices(const SplitRequest& request,
                                std::span<const hardware::NodeInventory> nodes) {
  DeviceSplits splits;
  splits.request = request;
  if (request.unit == SplitUnit::residues) splits.request.residues_per_unit = 1;
  add_gpus(nodes, splits);
  if (splits.devices.empty()) {
    add_cpus(nodes, splits);
  } else {
    list_nodes_without_gpu(nodes, splits);
  }
  if (splits.devices.size() == 1) splits.devices.front().known.seconds_before = 0;
  std::vector<core::DeviceSpeed> known;
  known.reserve(splits.devices.size());
  for (const auto& device : splits.devices) known.push_back(device.known);
  for (std::size_t k = 0; k < core::split_names().size(); ++k) {
    auto& shares = splits.strategies.emplace_back();
    shares.strategy = static_cast<core::SplitStrategy>(k);
    try {
      shares.split = core::split(shares.strategy, known, work_of(splits.request));
    } catch (const std::invalid_argument& failure) {
      shares.refusal = failure.what();
    }
  }
  return splits;
}

}  // namespace nfold::bench
