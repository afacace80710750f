// Array sizes of a GPU's forces, for allocation and for memory estimates of any build.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "device/array_capacity.hpp"
#include "device/memory_plan.hpp"
#include "domain/rank_counts.hpp"
#include "engine/forces/pair_potentials.hpp"
#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/cuda/spatial_order.hpp"
#include "kernels/cuda/team_lists.hpp"
#include "kernels/loops/gathered_force.hpp"
#include "kernels/loops/pair_rows.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Capacity of the lists that a GPU's teams read in whole chunks.
struct TeamListCapacity {
  int lanes_log2;

  /// Chooses the lanes of a team: enough to fill the GPU if there are few rows. Charged residues
  /// are few, and their lists long.
  [[nodiscard]] static TeamListCapacity of(int rows, bool is_all) {
    if (is_all) return {rows < 40'000 ? 4 : rows < 100'000 ? 3 : 2};
    return {rows < 10'000 ? 3 : rows < 100'000 ? 2 : 1};
  }
  /// Capacity before the first build.
  static constexpr int least_entries = 64;
  [[nodiscard]] int capacity_for(int entries) const {
    const int chunk = 4 << lanes_log2;
    return (std::max(entries, 1) + chunk - 1) / chunk * chunk;
  }
  [[nodiscard]] int capacity_with_spare(int longest) const {
    return capacity_for(longest + longest / 8);
  }
  [[nodiscard]] int capacity_with_little_spare(int longest) const {
    return capacity_for(longest + longest / 32);
  }
  [[nodiscard]] static std::int64_t rows_padded(std::int64_t owned) {
    return (owned + 31) / 32 * 32;
  }
  /// log2 of the owned rows per block of the pair loop.
  [[nodiscard]] int block_rows_log2() const { return kernels::pair_block_log2 - lanes_log2; }
  [[nodiscard]] std::int64_t blocks(std::int64_t owned) const {
    return (owned + (std::int64_t{1} << block_rows_log2()) - 1) >> block_rows_log2();
  }
};

/// Cell edges for sorting all members, and the charged ones [nm].
inline constexpr double all_cells_nm = 0.8, charged_cells_nm = 1.3;

/// Chooses 2^bits cells along each axis.
inline void cells_for(const double* extent_nm, double edge_nm, std::int64_t members, int* bits) {
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = std::max(1.0, extent_nm[axis] / edge_nm);
    bits[axis] = std::clamp(static_cast<int>(std::lround(std::log2(cells))), 0, 12);
  }
  // Keys of both kinds of members, including ghosts, are int.
  const double most = std::min(0x1p28, 4096.0 + 8.0 * static_cast<double>(members));
  while (std::exp2(bits[0] + bits[1] + bits[2]) > most) {
    int narrowest = -1;  // among axes with more than one cell
    for (int axis = 0; axis < 3; ++axis) {
      const auto width = [&](int a) { return extent_nm[a] * std::exp2(-bits[a]); };
      if (bits[axis] == 0) continue;
      if (narrowest < 0 || width(axis) < width(narrowest)) narrowest = axis;
    }
    --bits[narrowest];
  }
}

/// [bytes] Upper bound of the scan's work space; only a device gives the exact size. One state per
/// tile.
[[nodiscard]] inline std::int64_t planned_scan_bytes(std::int64_t counts) {
  return 4096 + counts / 64;
}

/// Sizes of one list: its members, and its grid's contribution to the keys of both lists.
struct PlannedSorting {
  std::int64_t members = 0, keys = 0;
};
template <class Precision>
PlannedSorting plan_sorted_list(device::MemoryPlan& plan, const std::string& name, bool is_all,
                                const domain::RankCounts& counts, double cell_nm) {
  const auto& list = is_all ? counts.pairs : counts.charges;
  const auto owned = list.rows;
  const auto room_of_members = [owned](std::int64_t present) {
    return owned + device::add_eighth(present - owned);
  };
  const std::int64_t present = list.candidates;
  const std::int64_t members = room_of_members(present);
  const std::int64_t first_members =
      is_all ? room_of_members(counts.fixed_rows()) : std::min(members, owned);
  const auto by_member = device::grown_capacity(device::add_eighth, first_members, members);
  const auto by_row =
      device::grown_capacity(device::add_eighth, counts.fixed_rows(), counts.rows());
  plan.in("rows in order");
  plan.array<int>(name + ".present", 1);
  plan.array<typename Precision::Coordinate>(name + ".tag", counts.residues);
  plan.array<int>(name + ".slot", by_row);
  if (is_all) {
    plan.array<typename Precision::Coordinate>(name + ".tag_of_row", by_row);
  } else {
    plan.array<int>(name + ".row", by_row);
  }
  if (!counts.halo.writes_to_peers) {
    plan.array<kernels::PackedRow<Precision>>(name + ".record", by_member);
  }
  plan.array<int>(name + ".row_of_slot", by_member);
  plan.array<kernels::PackedRow<kernels::Mixed>>(name + ".coarse", by_member);
  plan.array<kernels::ForceRow<Precision>>(name + ".force", owned);
  plan.array<kernels::ChainNeighbours>(name + ".chain_slot", is_all ? owned : 0);
  const auto list_capacity = TeamListCapacity::of(static_cast<int>(owned), is_all);
  plan.array<unsigned>(name + ".border", kernels::GhostBlocks::words_for(
                                             static_cast<int>(list_capacity.blocks(owned))));
  PlannedSorting planned{members, 0};
  if (counts.owned > 0) {
    kernels::SpatialGrid grid{};
    cells_for(counts.extent_nm.data(), cell_nm, members, grid.bits);
    grid.coarse_log2 = std::min(1, *std::min_element(grid.bits, grid.bits + 3));
    grid.ghosts_apart = members > owned;
    planned.keys = grid.keys();
    plan.array<int>(name + ".rank", grid.cells());
    plan.array<int>(name + ".coarse_rank", grid.coarse_cells());
  }
  plan.in("lists");
  plan.array<int>(name + ".count", owned);
  plan.array<int>(name + ".entry",
                  TeamListCapacity::rows_padded(owned) *
                      std::max(list_capacity.capacity_for(TeamListCapacity::least_entries),
                               list_capacity.capacity_with_spare(list.longest())));
  return planned;
}

/// Adds all arrays of the forces on a GPU.
template <class Precision>
void plan_sorted_forces(device::MemoryPlan& plan, const topology::Topology& topology,
                        const domain::RankCounts& counts) {
  PairPotentials::plan(plan, topology.short_range);
  plan.array<kernels::TypeMixing<typename Precision::Real>>(
      "type_mixing", static_cast<std::int64_t>(topology.short_range.type_sigma_nm.size()));
  const auto all = plan_sorted_list<Precision>(plan, "rows", true, counts, all_cells_nm);
  const auto charged =
      plan_sorted_list<Precision>(plan, "charged", false, counts, charged_cells_nm);
  plan.in("rows in order");
  plan.array<kernels::SpatialGrid::OccupiedRange>("stretch", 3);
  plan.array<int>("list_wanted", 2);
  plan.array<int>("cell_key", all.members + charged.members);
  plan.array<int>("cell_place", all.members + charged.members);
  if (counts.owned == 0) return;
  const auto keys = all.keys + charged.keys + 1;
  plan.array<int>("cell_count", keys);
  plan.array<int>("cell_first", keys);
  plan.array<char>("scan", planned_scan_bytes(keys));
}

}  // namespace nfold::forces
