// What hwloc tells of a node: processors, NUMA nodes, and what stands beside a PCI device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hardware/inventory.hpp"

namespace nfold::hardware {

/// A node's topology, read once. HWLOC_XMLFILE, hwloc's own variable, makes it another machine's.
class Topology {
 public:
  /// With devices, to know what is beside them; without, processors only, which is faster.
  enum class Depth { processors, devices };
  explicit Topology(Depth depth);
  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// Why it tells nothing; empty if it does.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// Whether it is of the machine that this process runs on.
  [[nodiscard]] bool is_of_this_machine() const;

  void describe(Cpu& cpu) const;
  /// Each core's processors, in the order of sockets and NUMA nodes: neighbours share the most.
  [[nodiscard]] std::vector<ProcessorSet> cores_in_order() const;
  /// Fills in NUMA node, processors and network card beside the GPU's bus id, as far as known.
  void place(Gpu& gpu) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string failure_;
};

}  // namespace nfold::hardware
