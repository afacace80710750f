// List of the suite's systems, and the default choice.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "core/nearest.hpp"
#include "core/refusal.hpp"
#include "core/telemetry/progress.hpp"
#include "core/text.hpp"
#include "device/device_memory.hpp"

namespace nfold::bench {
namespace {

// Limits of the default choice: some minutes for everything.
constexpr std::int64_t most_residues_a_gpu = 4'200'000, most_residues_a_cpu_rank = 20'000;

// Measured on condensates: lists of about 150 entries per residue; topology and start on every
// rank, while the engine's tables are made from them.
struct BytesPerResidue {
  std::int64_t device, host;
};
constexpr BytesPerResidue expected{2200, 450};
// Lower bound: no lists, no copies.
constexpr BytesPerResidue at_least{500, 200};

std::string find_memory_shortage(const BenchSystem& system, const Capacity& capacity,
                                 const BytesPerResidue& need) {
  const std::int64_t device = system.residues / capacity.ranks * need.device;
  const std::int64_t host = system.residues * need.host;
  const std::int64_t here = capacity.on_gpu ? host : host + device;
  const auto describe_shortage = [](std::int64_t wanted, std::int64_t free,
                                    std::string_view where) {
    return fmt::format("takes about {} of {} memory a rank, {} is free",
                       telemetry::format_bytes(wanted), where, telemetry::format_bytes(free));
  };
  if (capacity.on_gpu && device > capacity.device_bytes) {
    return describe_shortage(device, capacity.device_bytes, "GPU");
  }
  if (here > capacity.host_bytes) return describe_shortage(here, capacity.host_bytes, "host");
  return {};
}

}  // namespace

const std::vector<BenchSystem>& bench_suite() {
  static const std::vector<BenchSystem> systems{
      go_system("go-ubq", {0.8, 1, 0}),
      go_system("go-ubq-1.1nm", {1.1, 1, 0}),
      go_system("go-ubq-alone", {0.8, 1, 0, 1}),
      go_system("go-ubq-1056", {0.8, 1, 0, 1056}),
      go_system("go-ubq-4224", {0.8, 1, 0, 4224}),
      go_system("go-300-1000", {0.8, 1, 0, 1000, GoProtein::gbeta_300}),
      tdp43_replicas("hps-154-1000", 1000),
      go_system("go-10k", {0.8, 132, 24}),
      condensate_system("condensate-10k", 10'000),
      condensate_system("condensate-20k", 20'000),
      condensate_system("condensate-100k", 100'000),
      condensate_system("tabulated-100k", 100'000, CondensatePairs::tabulated),
      condensate_system("tabulated-terms-100k", 100'000, CondensatePairs::tabulated_terms),
      condensate_system("condensate-250k", 250'000),
      droplets_system("droplets-300k", {1948, 8}),
      condensate_system("condensate-1m", 1'000'000),
      droplets_system("droplets-2570k", {16'688, 64}),
      condensate_system("condensate-4m", 4'000'000),
      condensate_system("condensate-16m", 16'000'000),
      condensate_system("condensate-50m", 50'000'000),
  };
  return systems;
}

std::vector<BenchSystem> chosen_systems(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const auto& system : bench_suite()) known.emplace_back(system.name);
  for (const auto& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    core::refuse("--only " + name, "no system of the suite",
                 core::suggest_word(name, known, "'nfold bench --list' names them"));
  }
  std::vector<BenchSystem> chosen;
  for (const auto& system : bench_suite()) {
    if (std::find(names.begin(), names.end(), system.name) != names.end()) chosen.push_back(system);
  }
  return chosen;
}

Capacity free_capacity(const comm::Communicator& communicator, const device::JobDevices& devices) {
  const auto memory = device::free_memory(devices);
  return {memory.on_gpu, communicator.size(), communicator.min(memory.device_bytes),
          communicator.min(memory.host_bytes)};
}

std::string why_left_out(const BenchSystem& system, const Capacity& capacity) {
  const std::int64_t most =
      capacity.ranks * (capacity.on_gpu ? most_residues_a_gpu : most_residues_a_cpu_rank);
  if (system.replicas > 0 && system.replicas < capacity.ranks) {
    return why_impossible(system, capacity);
  }
  if (system.replicas > 0 && !capacity.on_gpu) {
    return "takes long: " + core::pluralise(system.replicas, "replica") + " on CPUs";
  }
  if (system.residues > most) {
    return fmt::format("takes long: more than {} residues a {}", most / capacity.ranks,
                       capacity.on_gpu ? "GPU" : "rank on CPUs");
  }
  return find_memory_shortage(system, capacity, expected);
}

std::string why_impossible(const BenchSystem& system, const Capacity& capacity) {
  if (system.replicas > 0 && system.replicas < capacity.ranks) {
    return fmt::format("{} for {} ranks", core::pluralise(system.replicas, "replica"),
                       capacity.ranks);
  }
  return find_memory_shortage(system, capacity, at_least);
}

}  // namespace nfold::bench
