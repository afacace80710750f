// Radii of gyration of many replicas, computed on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "device/memory_plan.hpp"
#include "kernels/resident/replica_sizes.hpp"
#include "model/topology/topology.hpp"

namespace nfold::replicas {

class ReplicaSizes {
 public:
  explicit ReplicaSizes(const topology::Topology& topology)
      : chains_(static_cast<int>(topology.chains.size())),
        species_(static_cast<int>(topology.species_count())) {
    std::vector<double> mass;
    mass.reserve(topology.residues.size());
    for (const auto& residue : topology.residues) mass.push_back(residue.mass_amu);
    std::vector<std::int32_t> first, species;
    first.reserve(topology.chains.size() + 1);
    species.reserve(topology.chains.size());
    for (const auto& chain : topology.chains) {
      first.push_back(chain.first);
      species.push_back(chain.species);
    }
    first.push_back(topology.residue_count());
    mass_.upload(mass);
    chain_first_.upload(first);
    species_of_chain_.upload(species);
  }

  static void plan(device::MemoryPlan& plan, const topology::Topology& topology,
                   std::int64_t replicas) {
    plan.in("replicas");
    plan.array<double>("replica_sizes.mass", topology.residue_count());
    plan.array<std::int32_t>("replica_sizes.chain_first",
                             static_cast<std::int64_t>(topology.chains.size()) + 1);
    plan.array<std::int32_t>("replica_sizes.species_of_chain",
                             static_cast<std::int64_t>(topology.chains.size()));
    plan.array<double>("replica_sizes.radius",
                       replicas * static_cast<std::int64_t>(topology.species_count()));
  }

  /// Launches the computation that radii_of_gyration_nm() waits for.
  void begin_radii(const kernels::ReplicaPositions& replicas) {
    const int items = replicas.replicas * species_;
    radius_.reserve(items);
    device::launch(
        "radii of gyration", items,
        kernels::MeanRadiusOfGyration{replicas, mass_.data(), chain_first_.data(),
                                      species_of_chain_.data(), chains_, species_, radius_.data()});
  }
  /// Returns (replicas, species) the mean over the chains of a species.
  [[nodiscard]] std::vector<std::vector<double>> radii_of_gyration_nm(int replicas) const {
    device::fence();
    const auto all = radius_.download(std::int64_t{replicas} * species_);
    std::vector<std::vector<double>> of_each;
    for (auto at = all.begin(); at != all.end(); at += species_) {
      of_each.emplace_back(at, at + species_);
    }
    return of_each;
  }
  [[nodiscard]] std::int64_t bytes() const {
    return mass_.bytes() + chain_first_.bytes() + species_of_chain_.bytes() + radius_.bytes();
  }

 private:
  int chains_, species_;
  device::DeviceArray<double> mass_{"replica_sizes.mass"};
  device::DeviceArray<std::int32_t> chain_first_{"replica_sizes.chain_first"};
  device::DeviceArray<std::int32_t> species_of_chain_{"replica_sizes.species_of_chain"};
  device::DeviceArray<double> radius_{"replica_sizes.radius"};
};

}  // namespace nfold::replicas
