// Layout and size of the memory that peers write: records, slots of copies and flags.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/array_capacity.hpp"
#include "device/memory_plan.hpp"
#include "domain/rank_counts.hpp"
#include "engine/halo/peer_memory_size.hpp"
#include "kernels/cuda/peer_halo.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::engine {

/// Capacities of one rank: records of one set, and remote copies of its rows.
struct PeerHaloLayout {
  std::int64_t all = 0, charged = 0, copies = 0;

  static constexpr std::size_t kinds_of_flags = 2;  // flags of exchanges, flags of plans
  [[nodiscard]] static std::int64_t whole_lines(std::int64_t records) {
    return (records + 7) / 8 * 8;
  }
  /// Size of both kinds of flags, two sets of all records, two sets of charged records, and copy
  /// slots.
  template <class Precision>
  [[nodiscard]] std::size_t bytes() const {
    return kinds_of_flags * kernels::halo_flag_bytes +
           2 * sizeof(kernels::PackedRow<Precision>) * static_cast<std::size_t>(all + charged) +
           sizeof(kernels::LinkCopies::Place) * static_cast<std::size_t>(copies);
  }
};

/// Adds the GPU memory of PeerHalo to the estimate.
template <class Precision>
void plan_peer_halo(device::MemoryPlan& plan, const domain::RankCounts& counts) {
  const auto capacity_for = [](const domain::NeighbourCounts& of) {
    const auto records = of.rows + device::add_eighth(of.candidates - of.rows) + of.rows % 2;
    return PeerHaloLayout::whole_lines(device::add_eighth(records));
  };
  const PeerHaloLayout layout{capacity_for(counts.pairs), capacity_for(counts.charges),
                              device::add_eighth(counts.halo.sent)};
  plan.in("exchange");
  plan.device(halo::peer_memory_name,
              static_cast<std::int64_t>(halo::peer_memory_allocation(layout.bytes<Precision>())));
  plan.array<kernels::HaloCopy>("halo.copy", device::add_quarter(counts.halo.sent));
  plan.array<std::uint64_t>("halo.plans_before", 1);
}

}  // namespace nfold::engine
