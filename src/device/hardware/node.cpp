// Inventory of a node from hwloc, NVML and the system.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/node.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "core/host_name.hpp"
#include "device/hardware/gpu_readings.hpp"
#include "device/hardware/nvml.hpp"
#include "device/hardware/topology.hpp"

namespace nfold::hardware {
namespace {

/// Returns the text after a key and a colon in a file of /proc, such as "model name        : AMD
/// EPYC".
std::optional<std::string> read_proc_value(const char* file, const std::string& word) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(word) || colon == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return std::nullopt;
}

std::optional<int> clock_now() {
  const auto text = read_proc_value("/proc/cpuinfo", "cpu MHz");
  if (!text) return std::nullopt;
  const int clock = static_cast<int>(std::strtod(text->c_str(), nullptr));
  return clock > 0 ? std::optional(clock) : std::nullopt;
}

std::optional<double> load_share(std::optional<int> processors) {
  std::ifstream file("/proc/loadavg");
  double minute = 0;
  if (!(file >> minute) || !processors) return std::nullopt;
  return std::min(1.0, minute / *processors);
}

void read_cpu(const Topology& topology, const HostMemory& memory, NodeInventory& node) {
  auto& cpu = node.cpu;
  topology.describe(cpu);
  if (!topology.failure().empty()) {
    node.notes.push_back(topology.failure() + ": cores, NUMA nodes and network cards are unknown");
  } else if (!topology.is_of_this_machine()) {
    node.notes.emplace_back(
        "cores, NUMA nodes and network cards are those of HWLOC_XMLFILE, not of this machine");
    return;  // clock, memory and load are unknown then
  }
  if (cpu.model.empty()) cpu.model = read_proc_value("/proc/cpuinfo", "model name").value_or("");
  cpu.memory_free_bytes = memory.free_bytes;
  cpu.memory_total_bytes = memory.total_bytes;
  cpu.clock_mhz = clock_now();
  cpu.most_clock_mhz = highest_clock_mhz();
  cpu.utilisation = load_share(cpu.processors);
}

void append_missing(NodeInventory& node, const NodeInventory& other) {
  std::map<int, int> new_index;  // indices of the other inventory's GPUs
  bool is_new = false;
  for (const auto& gpu : other.gpus) {
    const auto known = std::find_if(node.gpus.begin(), node.gpus.end(), [&](const Gpu& one) {
      return one.uuid == gpu.uuid && (!gpu.uuid.empty() || one.index == gpu.index);
    });
    if (known != node.gpus.end()) {
      known->is_visible |= gpu.is_visible;
      if (gpu.measured.pair_forces_per_second || gpu.measured.failure)
        known->measured = gpu.measured;
      new_index[gpu.index] = known->index;
      continue;
    }
    new_index[gpu.index] = static_cast<int>(node.gpus.size());
    node.gpus.push_back(gpu);
    node.gpus.back().index = new_index[gpu.index];
    is_new = true;
  }
  for (auto link : other.links) {
    link.first = new_index[link.first];
    link.second = new_index[link.second];
    const auto known = std::find_if(node.links.begin(), node.links.end(), [&](const GpuLink& one) {
      return std::minmax(one.first, one.second) == std::minmax(link.first, link.second);
    });
    if (known == node.links.end()) {
      node.links.push_back(link);
    } else if (link.bytes_per_second) {
      *known = link;
    }
  }
  if (!is_new) return;
  std::vector<Gpu> sorted = node.gpus;
  std::ranges::stable_sort(sorted, {}, &Gpu::pci_bus_id);
  std::map<int, int> sorted_index;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sorted_index[sorted[k].index] = static_cast<int>(k);
    sorted[k].index = static_cast<int>(k);
  }
  node.gpus = std::move(sorted);
  for (auto& link : node.links) {
    link.first = sorted_index[link.first];
    link.second = sorted_index[link.second];
  }
}

}  // namespace

std::optional<int> highest_clock_mhz() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  long kilohertz = 0;
  return file >> kilohertz && kilohertz > 0 ? std::optional(static_cast<int>(kilohertz / 1000))
                                            : std::nullopt;
}

NodeInventory read_node(const HostMemory& memory) {
  NodeInventory node;
  node.host = core::host_name();
  const nvml::Library library;
  read_gpus(library, node);
  // PCI devices are read only with GPUs, since each takes a millisecond.
  const Topology topology(node.gpus.empty() ? Topology::Depth::processors
                                            : Topology::Depth::devices);
  read_cpu(topology, memory, node);
  mark_visible(std::getenv("CUDA_VISIBLE_DEVICES"), node.gpus);
  for (auto& gpu : node.gpus) topology.locate(gpu);
  return node;
}

std::vector<NodeInventory> merged(const std::vector<NodeInventory>& reported) {
  std::vector<NodeInventory> nodes;
  for (const auto& node : reported) {
    const auto known = std::ranges::find(nodes, node.host, &NodeInventory::host);
    if (known == nodes.end()) {
      nodes.push_back(node);
    } else {
      append_missing(*known, node);
    }
  }
  return nodes;
}

}  // namespace nfold::hardware
