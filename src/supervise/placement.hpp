// Placement of ranks on the allocated nodes or this node, without excluded devices and hosts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "supervise/allocation.hpp"
#include "supervise/device_health.hpp"

namespace nfold::supervise {

/// Excluded devices (UUIDs) and hosts, which failed before.
struct ExcludedResources {
  std::vector<std::string> devices, hosts;
  [[nodiscard]] bool has_device(const std::string& uuid) const;
  [[nodiscard]] bool has_host(const std::string& host) const;
  void add(const ExcludedResources& more);
};

struct NodeAssignment {
  std::string host;  ///< Empty: this node, which needs no host option.
  int ranks = 0;
  std::vector<std::string> devices;  ///< UUIDs visible to its ranks. Empty: all.
  bool operator==(const NodeAssignment&) const = default;
};
struct Placement {
  std::vector<NodeAssignment> nodes;
  [[nodiscard]] int ranks() const;
  [[nodiscard]] std::string describe() const;  ///< "4 ranks on this node"
};

/// Places ranks. asked: number of ranks. 0: the scheduler's tasks or, without a scheduler, one rank
/// for each fit GPU, or one rank if no GPU is known. health: empty if unknown. A rank whose GPU is
/// excluded is dropped unless another GPU is free. Ranks that share GPUs from the start continue to
/// do so. No rank is placed on a node whose GPUs are all unfit.
[[nodiscard]] Placement place_ranks(int asked, const Allocation& given,
                                    const std::vector<NodeHealth>& health,
                                    const ExcludedResources& excluded);

}  // namespace nfold::supervise
