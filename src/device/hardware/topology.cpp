// Topology of a node through hwloc.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/topology.hpp"

#include <hwloc.h>

#include <cstdlib>

namespace nfold::hardware {

struct Topology::State {
  hwloc_topology_t topology = nullptr;
};

namespace {

ProcessorSet set_of(hwloc_const_cpuset_t from) {
  ProcessorSet set;
  if (from == nullptr) return set;
  for (int k = hwloc_bitmap_first(from); k >= 0 && k < static_cast<int>(set.size());
       k = hwloc_bitmap_next(from, k)) {
    set.set(static_cast<std::size_t>(k));
  }
  return set;
}

std::optional<int> count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_by_type(topology, type);
  return count > 0 ? std::optional(count) : std::nullopt;
}

bool is_ancestor(hwloc_obj_t above, hwloc_obj_t below) {
  for (; below != nullptr; below = below->parent) {
    if (below == above) return true;
  }
  return false;
}

/// Returns the number of levels from `from` up to an ancestor of `other`.
int levels_to_common_ancestor(hwloc_obj_t from, hwloc_obj_t other) {
  int steps = 0;
  for (; from != nullptr && !is_ancestor(from, other); from = from->parent) ++steps;
  return steps;
}

/// Returns the network card with the nearest common ancestor; among equals an InfiniBand one, then
/// the first.
std::optional<std::string> nearest_card(hwloc_topology_t topology, hwloc_obj_t device) {
  std::optional<std::string> name;
  int nearest = 0;
  for (hwloc_obj_t os = hwloc_get_next_osdev(topology, nullptr); os != nullptr;
       os = hwloc_get_next_osdev(topology, os)) {
    const auto kind = os->attr->osdev.type;
    if (kind != HWLOC_OBJ_OSDEV_NETWORK && kind != HWLOC_OBJ_OSDEV_OPENFABRICS) continue;
    const int distance =
        2 * levels_to_common_ancestor(device, os) + (kind == HWLOC_OBJ_OSDEV_OPENFABRICS ? 0 : 1);
    if (name && distance >= nearest) continue;
    nearest = distance;
    name = os->name;
  }
  return name;
}

}  // namespace

Topology::Topology(Depth depth) : state_(std::make_unique<State>()) {
  auto& topology = state_->topology;
  if (hwloc_topology_init(&topology) != 0) {
    failure_ = "hwloc does not start";
    topology = nullptr;
    return;
  }
  if (depth == Depth::devices) {
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  }
  // These components would start each GPU's driver, which takes a second, and add no bus
  // information.
  for (const char* component : {"cuda", "nvml", "opencl", "gl", "rsmi", "levelzero"}) {
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  if (hwloc_topology_load(topology) != 0) {
    const char* const file = std::getenv("HWLOC_XMLFILE");
    failure_ = file == nullptr ? "hwloc cannot read this machine"
                               : std::string("hwloc cannot read ") + file + " (HWLOC_XMLFILE)";
    hwloc_topology_destroy(topology);
    topology = nullptr;
  }
}

Topology::~Topology() {
  if (state_->topology != nullptr) hwloc_topology_destroy(state_->topology);
}

bool Topology::is_of_this_machine() const {
  return state_->topology != nullptr && hwloc_topology_is_thissystem(state_->topology) != 0;
}

void Topology::describe(Cpu& cpu) const {
  const auto topology = state_->topology;
  if (topology == nullptr) return;
  cpu.sockets = count_of(topology, HWLOC_OBJ_PACKAGE);
  cpu.cores = count_of(topology, HWLOC_OBJ_CORE);
  cpu.numa_nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
  cpu.processors = count_of(topology, HWLOC_OBJ_PU);
  hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  for (const auto object : {package, hwloc_get_root_obj(topology)}) {
    if (object == nullptr || !cpu.model.empty()) continue;
    const char* const model = hwloc_obj_get_info_by_name(object, "CPUModel");
    if (model != nullptr) cpu.model = model;
  }
  const auto memory = static_cast<std::int64_t>(hwloc_get_root_obj(topology)->total_memory);
  if (memory > 0) cpu.memory_total_bytes = memory;
}

std::vector<ProcessorSet> Topology::cores_in_order() const {
  std::vector<ProcessorSet> cores;
  if (state_->topology == nullptr) return cores;
  hwloc_obj_t core = nullptr;
  while ((core = hwloc_get_next_obj_by_type(state_->topology, HWLOC_OBJ_CORE, core)) != nullptr) {
    cores.push_back(set_of(core->cpuset));
  }
  return cores;
}

void Topology::locate(Gpu& gpu) const {
  const auto topology = state_->topology;
  if (topology == nullptr || gpu.pci_bus_id.empty()) return;
  hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology, gpu.pci_bus_id.c_str());
  if (device == nullptr) return;
  gpu.network_card = nearest_card(topology, device);
  hwloc_obj_t beside = hwloc_get_non_io_ancestor_obj(topology, device);
  if (beside == nullptr) return;
  const auto processors = set_of(beside->cpuset);
  if (processors.any()) gpu.processors = processors;
  if (hwloc_bitmap_weight(beside->nodeset) == 1) {
    gpu.numa_node = hwloc_bitmap_first(beside->nodeset);
  }
}

}  // namespace nfold::hardware
