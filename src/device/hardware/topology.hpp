// Processors, NUMA nodes and neighbours of PCI devices of a node, through hwloc.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/hardware/inventory.hpp"

namespace nfold::hardware {

/// Topology of a node, read once. The variable HWLOC_XMLFILE of hwloc replaces it by another
/// machine's.
class Topology {
 public:
  /// devices: with PCI devices and their neighbours; processors: without, which is faster.
  enum class Depth { processors, devices };
  explicit Topology(Depth depth);
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// Reason why there is no topology; empty if there is.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// True if it describes the machine of this process.
  [[nodiscard]] bool is_of_this_machine() const;

  void describe(Cpu& cpu) const;
  /// Returns each core's processors, in the order of sockets and NUMA nodes: neighbours share the
  /// most.
  [[nodiscard]] std::vector<ProcessorSet> cores_in_order() const;
  /// Fills in NUMA node, processors and network card near the GPU's bus id, if known.
  void locate(Gpu& gpu) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string failure_;
};

}  // namespace nfold::hardware
