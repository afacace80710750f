// Arrays of a CPU's forces, for allocation and for memory estimates of any build.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/device_array.hpp"
#include "device/refill.hpp"
#include "domain/rank_counts.hpp"
#include "engine/forces/neighbour_list.hpp"
#include "engine/forces/pair_potentials.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/pair_rows.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Capacity of the records of local rows.
[[nodiscard]] inline std::int64_t record_capacity(std::int64_t rows, std::int64_t padded_owned) {
  return device::add_eighth(std::max(rows, padded_owned));
}

template <class Precision>
class HostForceArrays {
 public:
  device::DeviceColumns<std::int64_t> pair_force{"pair_force"};      ///< (padded rows) [quanta]
  device::DeviceColumns<std::int64_t> charge_force{"charge_force"};  ///< (padded rows) 0 if neutral

  static void estimate(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const domain::RankCounts& counts) {
    PairPotentials::estimate(estimate, topology);
    HostForceArrays arrays;
    estimate.in("pair forces").count([&] {
      const auto padded = kernels::padded(static_cast<int>(counts.owned));
      arrays.rows_.reserve(record_capacity(counts.rows(), padded));
      arrays.reserve_forces(padded);
    });
    estimate.in("lists").count([&] {
      arrays.short_list_.reserve(counts.pairs, counts);
      arrays.charge_list_.reserve(counts.charges, counts);
    });
  }

 protected:
  void reserve_forces(std::int64_t padded_rows) {
    pair_force.reserve(padded_rows);
    charge_force.reserve(padded_rows);
  }

  device::DeviceArray<kernels::PairRow<Precision>> rows_{"pair_row"};
  NeighbourList<Precision> short_list_, charge_list_;
};

}  // namespace nfold::forces
