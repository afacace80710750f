// Health of devices.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.hpp"

namespace nfold::hardware {
namespace {

constexpr double gigabyte = 1e9;

class Findings {
 public:
  void add(HealthLevel level, std::string reason) { found_.emplace_back(level, std::move(reason)); }
  [[nodiscard]] Health health() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    Health health;
    for (auto& [level, reason] : found_) {
      health.level = std::max(health.level, level);
      health.reasons.push_back(std::move(reason));
    }
    return health;
  }

 private:
  std::vector<std::pair<HealthLevel, std::string>> found_;
};

void check_memory_cells(const Gpu& gpu, Findings& findings) {
  if (gpu.uncorrected_errors.value_or(0) > 0) {
    findings.add(HealthLevel::unfit,
                 core::pluralise(*gpu.uncorrected_errors, "uncorrected memory error") +
                     " since its last reset");
  }
  if (!gpu.row_remaps) return;
  if (gpu.row_remaps->has_failed) {
    findings.add(HealthLevel::unfit, "a bad row of its memory could not be remapped");
  }
  if (gpu.row_remaps->is_pending) {
    findings.add(HealthLevel::doubtful, "a row of its memory waits for a reset to be remapped");
  }
}

void check_clocks(const Gpu& gpu, Findings& findings) {
  const auto reasons = describe_throttling(gpu);
  if (!reasons.empty()) {
    std::string clocks;
    if (gpu.clock_mhz && gpu.most_clock_mhz) {
      clocks = fmt::format(" at {} of {} MHz", *gpu.clock_mhz, *gpu.most_clock_mhz);
    }
    findings.add(HealthLevel::doubtful, fmt::format("throttled{}: {}", clocks, reasons));
  }
  if (gpu.temperature_celsius && gpu.temperature_limit_celsius &&
      *gpu.temperature_celsius >= *gpu.temperature_limit_celsius) {
    findings.add(HealthLevel::doubtful,
                 fmt::format("{} C, and its limit is {} C", *gpu.temperature_celsius,
                             *gpu.temperature_limit_celsius));
  }
}

void check_others(const Gpu& gpu, std::span<const std::int64_t> own_pids, Findings& findings) {
  if (gpu.memory_total_bytes && gpu.memory_free_bytes) {
    const auto negligible =
        max_foreign_memory_fraction * static_cast<double>(*gpu.memory_total_bytes);
    std::int64_t held = 0, mine = 0;
    int others = 0;
    for (const auto& process : gpu.processes.value_or(std::vector<GpuProcess>())) {
      const bool is_own =
          std::find(own_pids.begin(), own_pids.end(), process.pid) != own_pids.end();
      (is_own ? mine : held) += process.memory_bytes.value_or(0);
      others += is_own ? 0 : 1;
    }
    // A container hides the processes outside, but not their memory.
    const auto unseen = *gpu.memory_total_bytes - *gpu.memory_free_bytes - held - mine;
    if (static_cast<double>(held) > negligible) {
      findings.add(HealthLevel::doubtful,
                   fmt::format("{} other process{} hold{} {:.1f} GB of its memory", others,
                               others == 1 ? "" : "es", others == 1 ? "s" : "",
                               static_cast<double>(held) / gigabyte));
    } else if (mine == 0 && static_cast<double>(unseen) > negligible) {
      findings.add(HealthLevel::doubtful,
                   fmt::format("{:.1f} GB of its memory are held by what is not seen from here",
                               static_cast<double>(unseen) / gigabyte));
    }
  }
  const bool is_ours = !own_pids.empty();  // this job itself may be the load
  if (!is_ours && gpu.utilisation.value_or(0) >= max_foreign_utilisation) {
    findings.add(HealthLevel::doubtful,
                 fmt::format("others keep it busy, {:.0f} % of the time", 100 * *gpu.utilisation));
  }
}

/// Compares a value of a device with that of its peers.
template <class Value>
void compare(const Gpu& gpu, std::span<const Gpu* const> peers, const Value& value,
             const char* subject, Findings& findings) {
  const std::optional<double> own = value(gpu);
  if (!own) return;
  std::vector<double> others;
  for (const auto* peer : peers) {
    if (peer == &gpu) continue;
    if (const std::optional<double> other = value(*peer)) others.push_back(*other);
  }
  if (others.empty()) return;
  std::sort(others.begin(), others.end());
  const double median = others[others.size() / 2];
  if (*own >= min_speed_fraction * median) return;
  findings.add(HealthLevel::doubtful, fmt::format("{} {:.0f} % below the median of its model",
                                                  subject, 100 * (1 - *own / median)));
}

void check_peers(const Gpu& gpu, std::span<const Gpu* const> peers, Findings& findings) {
  compare(
      gpu, peers, [](const Gpu& g) { return g.measured.pair_forces_per_second; }, "its speed is",
      findings);
  compare(
      gpu, peers, [](const Gpu& g) { return g.measured.memory_bytes_per_second; },
      "its memory bandwidth is", findings);
  compare(
      gpu, peers, [](const Gpu& g) { return g.measured.host_link_bytes_per_second; },
      "the bandwidth of its link to the host is", findings);
  compare(
      gpu, peers, [](const Gpu& g) { return g.power_limit_watt; }, "its power limit is", findings);
}

}  // namespace

std::string describe_throttling(const Gpu& gpu) {
  auto reasons = gpu.throttle_reasons.value_or(std::vector<std::string>());
  std::erase_if(reasons, [](const std::string& reason) {
    return reason == "power limit" || reason.starts_with("kept to the clock");
  });
  return fmt::format("{}", fmt::join(reasons, "; "));
}

std::string health_level_name(HealthLevel level) {
  switch (level) {
    case HealthLevel::healthy:
      return "healthy";
    case HealthLevel::doubtful:
      return "doubtful";
    default:
      return "unfit";
  }
}

Health assess_health(const Gpu& gpu, std::span<const Gpu* const> peers,
                     std::span<const std::int64_t> own_pids) {
  Findings findings;
  if (gpu.lost) {
    findings.add(HealthLevel::unfit, *gpu.lost);
    return findings.health();
  }
  if (gpu.measured.failure) {
    findings.add(HealthLevel::unfit, "its measurement failed: " + *gpu.measured.failure);
  }
  check_memory_cells(gpu, findings);
  check_clocks(gpu, findings);
  check_others(gpu, own_pids, findings);
  check_peers(gpu, peers, findings);
  return findings.health();
}

std::vector<const Gpu*> same_model_devices(const Gpu& gpu, std::span<const NodeInventory> nodes) {
  std::vector<const Gpu*> peers;
  for (const auto& node : nodes) {
    for (const auto& other : node.gpus) {
      if (&other != &gpu && !other.lost && other.name == gpu.name) peers.push_back(&other);
    }
  }
  return peers;
}

}  // namespace nfold::hardware
