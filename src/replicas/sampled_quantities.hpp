// Quantities of each replica that are recorded at each sample, computed on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/device_array.hpp"
#include "model/topology/topology.hpp"

namespace nfold::kernels {
struct ReplicaPositions;
}

namespace nfold::replicas {

/// Sampled quantities of the replicas of a set, by the same kernels for every form of the set.
class SampledQuantities {
 public:
  explicit SampledQuantities(const topology::Topology& topology);
  void reserve(std::int64_t replicas) { value_.reserve(replicas * columns_); }

  /// Launches the computation that values() waits for.
  void begin(const kernels::ReplicaPositions& replicas);
  /// Returns (replicas), (columns) each.
  [[nodiscard]] std::vector<std::vector<double>> values(int replicas) const;

 private:
  int chains_, columns_;
  std::size_t species_;
  device::DeviceArray<double> mass_{"sampled_quantities.mass"};
  device::DeviceArray<std::int32_t> chain_first_{"sampled_quantities.chain_first"};
  device::DeviceArray<std::int32_t> species_of_chain_{"sampled_quantities.species_of_chain"};
  device::DeviceArray<double> value_{"sampled_quantities.value", device::ArrayUse::samples};
};

}  // namespace nfold::replicas
