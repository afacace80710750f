// Layout and size of the memory that peers write: records, slots of copies and flags.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "device/device_array.hpp"
#include "device/refill.hpp"
#include "domain/rank_counts.hpp"
#include "engine/forces/sorted_arrays.hpp"
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
  /// Grows the capacities, with headroom, to at least these numbers.
  void grow(std::int64_t all_records, std::int64_t charged_records, std::int64_t all_copies) {
    all = std::max(whole_lines(device::add_eighth(all_records)), all);
    charged = std::max(whole_lines(device::add_eighth(charged_records)), charged);
    copies = std::max(device::add_eighth(all_copies), copies);
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

/// Arrays of a rank whose peers write into its memory.
struct PeerHaloArrays {
  device::DeviceArray<int> first_copy{"halo.first_copy"};  ///< (owned rows)
  device::DeviceArray<kernels::HaloCopy> copy{"halo.copy"};
  device::DeviceArray<std::uint64_t> plans_before{"halo.plans_before"};  ///< (1) always 0

  PeerHaloArrays() { plans_before.reserve(1); }
  /// Returns true if an array was reallocated.
  bool reserve(std::int64_t owned, std::int64_t copies) {
    const bool has_moved = first_copy.reserve(owned);
    return device::grow_by_quarter(copy, copies) || has_moved;
  }
};

/// Adds the GPU memory of PeerHalo to the current group of the estimate.
template <class Precision>
void estimate_peer_halo(device::MemoryEstimate& estimate, const domain::RankCounts& counts) {
  const auto records = [](const domain::NeighbourCounts& of) {
    return forces::members_with_headroom(of.rows, of.candidates) + forces::ghost_shift(of.rows);
  };
  PeerHaloLayout layout;
  layout.grow(records(counts.pairs), records(counts.charges), counts.halo.sent);
  estimate.device(
      halo::peer_memory_name,
      static_cast<std::int64_t>(halo::peer_memory_allocation(layout.bytes<Precision>())));
  estimate.count([&] { PeerHaloArrays().reserve(counts.owned, counts.halo.sent); });
}

}  // namespace nfold::engine
