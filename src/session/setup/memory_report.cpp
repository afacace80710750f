// Memory estimates as tables and messages; refusals and advice.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "comm/first_reason.hpp"
#include "core/failure.hpp"
#include "core/refusal.hpp"
#include "core/telemetry/progress.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "device/job_devices.hpp"
#include "session/setup/host_arrays.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/memory_placement.hpp"

namespace nfold::setup {
namespace {

using telemetry::format_bytes;

/// Relative accuracy of an estimate.
constexpr double slack = 0.05;

struct GroupBytes {
  std::string name;
  std::int64_t device = 0, host = 0;
};
std::vector<GroupBytes> groups_of(const device::MemoryEstimate& estimate) {
  std::vector<GroupBytes> groups;
  for (const auto& one : estimate.arrays()) {
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const GroupBytes& group) { return group.name == one.group; });
    if (at == groups.end()) at = groups.insert(groups.end(), {one.group});
    at->device += one.device_bytes;
    at->host += one.host_bytes;
  }
  return groups;
}

/// Least and most of any rank.
struct Range {
  std::int64_t least = 0, most = 0;
  bool is_empty = true;
  void add(std::int64_t bytes) {
    least = is_empty ? bytes : std::min(least, bytes);
    most = is_empty ? bytes : std::max(most, bytes);
    is_empty = false;
  }
};
std::string text_of(const Range& range) {
  if (range.most == 0) return "-";
  const auto least = format_bytes(range.least), most = format_bytes(range.most);
  return least == most ? most : least + " to " + most;
}

/// Returns the resource that is short.
const char* memory_name(const MemoryCapacity& capacity) {
  return device::computes_on_gpu() ? "GPU" : capacity.with_host ? "node" : "rank";
}

std::int64_t needed(const RunMemory& memory, const MemoryCapacity& capacity) {
  return memory.least_device_bytes() + (capacity.with_host ? memory.host_bytes() : 0);
}

}  // namespace

device::MemoryEstimate runtime_memory(int rank_count, bool on_gpu, int nodes) {
  device::MemoryEstimate estimate(on_gpu);
  constexpr std::int64_t mib = std::int64_t{1} << 20U;
  estimate.in("program and libraries");
  // Measured 42 to 45 MiB beside the arrays, in runs of 76 to 100,000 residues on one and two
  // ranks.
  estimate.host("program and MPI (assumed)", 44 * mib);
  if (!on_gpu) return estimate;
  // Measured beside the arrays: 234 to 267 MiB on one H200, ranks of 10,000 to 250,000 residues;
  // 259 to 331 MiB on two, without NCCL, which took 340 MiB of the host and 350 MiB of the GPU.
  estimate.host("CUDA on the host (assumed)", 220 * mib);
  estimate.device("CUDA context (assumed)", 520 * mib);
  if (rank_count > 1) {
    constexpr int of_a_node_at_most = 8;
    const std::int64_t peers = std::min(rank_count, of_a_node_at_most) - 1;
    estimate.host("memory of peers on the host (assumed)", 40 * peers * mib);
    estimate.device("transport trials (assumed)", 30 * mib);
  }
  if (nodes > 1) {
    estimate.host("NCCL on the host (assumed)", 340 * mib);
    estimate.device("NCCL (assumed)", 350 * mib);
  }
  return estimate;
}

std::vector<std::string> memory_table(const RunMemory& memory,
                                      const device::MemoryEstimate& runtime) {
  std::vector<std::string> names;
  std::map<std::string, std::array<Range, 2>> ranges;
  std::array<Range, 2> all;
  for (const auto& estimate : memory.ranks) {
    for (const auto& group : groups_of(estimate)) {
      if (ranges.count(group.name) == 0) names.push_back(group.name);
      ranges[group.name][0].add(group.device);
      ranges[group.name][1].add(group.host);
    }
    all[0].add(estimate.device_bytes() + runtime.device_bytes());
    all[1].add(estimate.host_bytes() + runtime.host_bytes());
  }
  core::TextTable table("lrr");
  const bool on_gpu = memory.ranks.front().is_for_gpu();
  table.add(
      {"arrays", on_gpu ? "on the GPU" : "of the engine", on_gpu ? "on the host" : "beside it"});
  const auto add = [&](const std::string& name, const Range& device, const Range& host) {
    table.add({name, text_of(device), text_of(host)});
  };
  for (const auto& name : names) add(name, ranges[name][0], ranges[name][1]);
  for (const auto& one : runtime.arrays()) {
    Range device, host;
    device.add(one.device_bytes);
    host.add(one.host_bytes);
    add(one.name, device, host);
  }
  add("total", all[0], all[1]);
  auto lines = table.lines();
  lines.insert(lines.begin(),
               fmt::format("memory of each of {}{}", core::pluralise(memory.rank_count, "rank"),
                           memory.is_sampled ? ", counted on a part of the system" : ""));
  return lines;
}

std::string memory_message(const RunMemory& memory) {
  const auto& most = *std::max_element(
      memory.ranks.begin(), memory.ranks.end(),
      [](const auto& a, const auto& b) { return a.device_bytes() < b.device_bytes(); });
  auto groups = groups_of(most);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.device > b.device; });
  constexpr std::size_t shown_groups = 3;
  std::string largest;
  for (std::size_t k = 0; k < std::min(shown_groups, groups.size()) && groups[k].device > 0; ++k) {
    largest +=
        fmt::format("{}{} {}", k == 0 ? "" : ", ", groups[k].name, format_bytes(groups[k].device));
  }
  return fmt::format("memory: planned {} for the arrays of {} ({}), {} of the host beside them",
                     format_bytes(most.device_bytes()),
                     memory.rank_count == 1 ? "the engine" : "the fullest rank", largest,
                     format_bytes(memory.host_bytes()));
}

std::string memory_advice(const MemoryEstimator& estimator, const input::Settings& settings,
                          int rank_count, const MemoryCapacity& capacity) {
  const auto here = estimator.about(rank_count);
  const std::int64_t there = needed(here, capacity);
  const auto fits = [&](int ranks) {
    return needed(estimator.about(ranks), capacity) <= capacity.bytes;
  };
  std::string text = fmt::format(
      "at most about {} of {} residues fit on {}",
      static_cast<std::int64_t>(static_cast<double>(here.residues) *
                                static_cast<double>(capacity.bytes) / static_cast<double>(there)),
      here.residues, core::pluralise(rank_count, "rank"));
  if (const auto enough = smallest_rank_count(rank_count, fits)) {
    text += fmt::format("; use {0} {1}s or more (mpirun -np {0})", *enough, memory_name(capacity));
  } else {
    text += fmt::format("; more {}s alone will not do, for every rank holds the topology",
                        memory_name(capacity));
  }
  const auto try_option = [&](const std::string& option, const RunMemory& memory) {
    const std::int64_t bytes = needed(memory, capacity);
    if (bytes >= there) return;
    text += fmt::format("; {} saves {}{}", option, format_bytes(there - bytes),
                        bytes <= capacity.bytes ? ", which is enough" : "");
  };
  const double skin_nm = estimator.first_skin_nm();
  if (settings.dynamics.precision == system::Precision::full) {
    try_option("dynamics.precision: mixed",
               estimator.with(system::Precision::mixed, skin_nm, rank_count));
  }
  const double thinner_nm = std::floor(50 * skin_nm) / 100;
  if (thinner_nm >= 0.05) {
    try_option(fmt::format("neighbour_list.skin_nm: {:g}", thinner_nm),
               estimator.with(settings.dynamics.precision, thinner_nm, rank_count));
  }
  return text;
}

std::vector<std::string> compare_with_free_memory(const RunMemory& memory,
                                                  const device::MemoryEstimate& runtime,
                                                  const MemoryEstimator* estimator,
                                                  const input::Settings& settings) {
  const auto device = device::device_memory();
  const auto host = device::host_memory();
  const bool has_gpu = device::computes_on_gpu();
  std::vector<std::string> lines;
  if (has_gpu) {
    // A GPU build also checks inputs on nodes without a GPU.
    constexpr std::int64_t unknown_bytes = std::int64_t{1} << 62U;
    lines.push_back("free on the GPU: " + (device.total_bytes >= unknown_bytes
                                               ? std::string("not known, there is none here")
                                               : device::describe_memory_size(device)));
  }
  lines.push_back("free on this host: " + device::describe_memory_size(host));
  const auto warn_of = [&](std::int64_t wanted, std::int64_t free, bool with_host,
                           const char* who) {
    if (wanted <= free) return;
    lines.push_back(fmt::format(
        "warning: {} are more than the {} that {}; {}", format_bytes(wanted), format_bytes(free),
        who,
        estimator == nullptr
            ? "take fewer ensemble.ladders, or more ranks on more nodes"
            : memory_advice(*estimator, settings, memory.rank_count,
                            {free - (with_host ? runtime.host_bytes() : 0), with_host})));
  };
  const std::int64_t limit = device_memory_limit(0, settings);
  const std::int64_t arrays = memory.least_device_bytes();
  const std::int64_t of_host = memory.host_bytes() + runtime.host_bytes() + (has_gpu ? 0 : arrays);
  if (limit > 0 && arrays > limit) {
    warn_of(arrays, limit, false, "devices.memory_limit_gb allows");
  } else if (has_gpu && arrays + runtime.device_bytes() > device.free_bytes) {
    warn_of(arrays + runtime.device_bytes(), device.free_bytes, false, "the GPU has free");
  } else {
    warn_of(of_host, host.free_bytes, !has_gpu, "this host has free");
  }
  return lines;
}

void refuse_beyond_limit(const RunMemory& memory, const MemoryEstimator* estimator,
                         const input::Settings& settings, std::uint64_t option_bytes) {
  const std::int64_t limit = device_memory_limit(option_bytes, settings);
  if (device::computes_on_gpu() && limit == 0) return;  // the GPU is not known yet
  const std::int64_t there = limit > 0 ? limit : device::host_memory().free_bytes;
  const std::int64_t arrays = memory.least_device_bytes();
  if (!exceeds(arrays, there)) return;
  const char* const who = option_bytes > 0 ? "--device-memory allows"
                          : limit > 0      ? "devices.memory_limit_gb allows"
                                           : "this host has free";
  core::refuse("memory",
               fmt::format("{} are planned for each rank, more than the {} that {}",
                           format_bytes(arrays), format_bytes(there), who),
               estimator == nullptr
                   ? "take fewer ensemble.ladders, or more ranks on more nodes"
                   : memory_advice(*estimator, settings, memory.rank_count, {there, false}));
}

bool exceeds(std::int64_t estimated, std::int64_t there) {
  return static_cast<double>(estimated) * (1 - slack) > static_cast<double>(there);
}

std::int64_t device_memory_limit(std::uint64_t option_bytes, const input::Settings& settings) {
  if (option_bytes > 0) return static_cast<std::int64_t>(option_bytes);
  constexpr double bytes_per_gb = 1e9;
  return std::llround(settings.devices.memory_limit_gb * bytes_per_gb);
}

void require_memory(const comm::Communicator& communicator, const device::JobDevices& devices,
                    const RunMemory& memory, const MemoryEstimator& estimator,
                    const input::Settings& settings) {
  const auto there = device::free_memory(devices);
  const auto& mine = memory.of(communicator.rank());
  const std::int64_t arrays = mine.needed_device_bytes();
  std::string trouble;
  if (exceeds(arrays, there.device_bytes)) {
    const auto& largest = *std::max_element(
        mine.arrays().begin(), mine.arrays().end(),
        [](const auto& a, const auto& b) { return a.device_bytes < b.device_bytes; });
    trouble = fmt::format(
        "{}out of {} memory before the first array: {} are planned, the largest for '{}' ({}); {} "
        "are free for this rank{}; {}",
        communicator.size() > 1 ? fmt::format("rank {}: ", communicator.rank()) : "",
        there.on_gpu ? "GPU" : "host", format_bytes(arrays), largest.name,
        format_bytes(largest.device_bytes), format_bytes(there.device_bytes),
        device::describe_memory_limit(),
        memory_advice(estimator, settings, communicator.size(), {there.device_bytes, false}));
  }
  const auto first = comm::first_reason(communicator, trouble);
  if (first) throw core::Failure(first->text, core::Outcome::memory, core::Reach::all_ranks);
}

std::string start_message(const comm::Communicator& communicator, double seconds) {
  const std::int64_t resident = communicator.max(device::resident_bytes_peak());
  std::string line = fmt::format("the start took {:.2f} s", seconds);
  if (resident > 0) line += fmt::format(", resident at peak {}", format_bytes(resident));
  return line;
}

namespace {

/// Returns the groups beyond the estimate, "lists 98 MiB, planned 61 MiB", if all arrays of this
/// rank together exceed it by a twentieth; else empty. Arrays that are freed before others are
/// made, as in transport trials, may be in no estimate.
std::string describe_excess(const device::MemoryEstimate& estimated) {
  const auto all = static_cast<double>(device::device_bytes_peak());
  if (all <= (1 + slack) * static_cast<double>(estimated.device_bytes())) return {};
  const std::string not_estimated = "arrays that no plan has";
  std::map<std::string, std::string> group_of;
  for (const auto& one : estimated.arrays()) group_of.emplace(one.name, one.group);
  std::map<std::string, std::int64_t> taken;
  for (const auto& one : device::device_arrays()) {
    const auto at = group_of.find(one.name);
    taken[at == group_of.end() ? not_estimated : at->second] += one.peak_bytes;
  }
  std::string words;
  const auto add_group = [&](const std::string& name, std::int64_t had) {
    const auto reporting_threshold = static_cast<std::int64_t>(
        slack * static_cast<double>(std::max(had, estimated.device_bytes())));
    if (taken[name] - had <= reporting_threshold) return;
    words += fmt::format("{}{} {}, planned {}", words.empty() ? "" : "; ", name,
                         format_bytes(taken[name]), format_bytes(had));
  };
  for (const auto& group : groups_of(estimated)) add_group(group.name, group.device);
  add_group(not_estimated, 0);
  return words;
}

}  // namespace

std::vector<std::string> describe_peak_memory(const comm::Communicator& communicator,
                                              const device::JobDevices& devices,
                                              const device::MemoryEstimate& estimated,
                                              const RepartitionHistory& new_maps) {
  std::int64_t for_new_map = 0, of_device = estimated.device_bytes();
  for (const auto& one : estimated.arrays()) {
    if (one.group != repartition_group) continue;
    if (!new_maps.sought) for_new_map += one.host_bytes;
    if (!new_maps.prepared) of_device -= one.device_bytes;
  }
  const std::int64_t own_peak = device::device_bytes_peak();
  const std::int64_t peak = communicator.max(own_peak);
  const std::int64_t arrays = communicator.max(of_device);
  std::vector<std::string> lines{fmt::format(
      "memory: planned {}, peak {} (ratio {:.3f})", format_bytes(arrays), format_bytes(peak),
      static_cast<double>(arrays) / static_cast<double>(std::max<std::int64_t>(1, peak)))};
  const std::int64_t fullest = communicator.max(own_peak == peak ? communicator.rank() : 0);
  const auto beyond = communicator.broadcast(describe_excess(estimated), static_cast<int>(fullest));
  if (!beyond.empty()) {
    lines.push_back("memory beyond the plan: " + beyond +
                    "; a plan is of the first map and the first coordinates");
  }
  if (device::computes_on_gpu()) {
    // Includes memory of libraries, and of other ranks or programs on this GPU.
    const std::int64_t less =
        communicator.max(devices.free_device_bytes_at_start() - device::device_memory().free_bytes);
    // Not positive if another program has ended.
    if (less > 0) {
      lines.front() +=
          fmt::format("; the GPU has {} less free than at the start", format_bytes(less));
    }
  }
  const std::int64_t runtime = runtime_memory(communicator.size()).host_bytes();
  const std::int64_t of_host = estimated.host_bytes() - for_new_map + runtime +
                               (device::computes_on_gpu() ? 0 : estimated.device_bytes());
  const std::int64_t beside = communicator.max(of_host);
  for_new_map = communicator.max(for_new_map);
  const std::int64_t resident = communicator.max(device::resident_bytes_peak());
  if (resident > 0) {
    lines.push_back(fmt::format(
        "memory on the host: planned {}, of which {} assumed for the program and libraries; "
        "resident at peak {}",
        format_bytes(beside), format_bytes(runtime), format_bytes(resident)));
    if (for_new_map > 0) {
      lines.back() +=
          fmt::format("; {} more for a new map, which was never sought", format_bytes(for_new_map));
    }
  }
  return lines;
}

}  // namespace nfold::setup
