// Radii of gyration of many replicas, computed where their positions are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "device/memory_plan.hpp"
#include "kernels/resident/replica_sizes.hpp"
#include "topology/topology.hpp"

namespace nfold::replicas {

class ReplicaSizes {
 public:
  explicit ReplicaSizes(const topology::Topology& topology)
      : chains_(static_cast<int>(topology.chains.size())) {
    std::vector<double> mass;
    mass.reserve(topology.residues.size());
    for (const auto& residue : topology.residues) mass.push_back(residue.mass_amu);
    std::vector<std::int32_t> first;
    first.reserve(topology.chains.size() + 1);
    for (const auto& chain : topology.chains) first.push_back(chain.first);
    first.push_back(topology.residue_count());
    mass_.upload(mass);
    chain_first_.upload(first);
  }

  static void plan(device::MemoryPlan& plan, const topology::Topology& topology,
                   std::int64_t replicas) {
    plan.in("replicas");
    plan.array<double>("replica_sizes.mass", topology.residue_count());
    plan.array<std::int32_t>("replica_sizes.chain_first",
                             static_cast<std::int64_t>(topology.chains.size()) + 1);
    plan.array<double>("replica_sizes.radius", replicas);
  }

  /// Starts what radii_of_gyration_nm() waits for.
  void begin_radii(const kernels::ReplicaPositions& replicas) {
    radius_.reserve(replicas.replicas);
    device::launch("radii of gyration", replicas.replicas,
                   kernels::MeanRadiusOfGyration{replicas, mass_.data(), chain_first_.data(),
                                                 chains_, radius_.data()});
  }
  /// (replicas) the mean over the chains of each replica.
  [[nodiscard]] std::vector<double> radii_of_gyration_nm(int replicas) const {
    device::fence();
    return radius_.download(replicas);
  }
  [[nodiscard]] std::int64_t bytes() const {
    return mass_.bytes() + chain_first_.bytes() + radius_.bytes();
  }

 private:
  int chains_;
  device::DeviceArray<double> mass_{"replica_sizes.mass"};
  device::DeviceArray<std::int32_t> chain_first_{"replica_sizes.chain_first"};
  device::DeviceArray<double> radius_{"replica_sizes.radius"};
};

}  // namespace nfold::replicas
