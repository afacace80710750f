// Array sizes of a CPU's forces, for allocation and for memory estimates of any build.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "device/array_capacity.hpp"
#include "device/memory_plan.hpp"
#include "domain/rank_counts.hpp"
#include "engine/forces/pair_potentials.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/neighbour_search.hpp"
#include "kernels/loops/pair_rows.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Capacity of interleaved lists of one group, for the group's longest list.
[[nodiscard]] KOKKOS_FUNCTION constexpr std::int64_t list_capacity(std::int64_t longest) {
  return (longest + longest / 8 + 15) / 8 * 8;
}

/// Padding, because a search reads whole vectors of candidates.
inline constexpr int spare_candidates = 2 * kernels::pair_lanes;

/// Capacity of the records of local rows.
[[nodiscard]] inline std::int64_t record_capacity(std::int64_t rows, std::int64_t padded_owned) {
  return device::add_eighth(std::max(rows, padded_owned));
}

template <class Precision>
[[nodiscard]] int cells_of(const kernels::ListGrid<Precision>& grid) {
  return grid.cells[0] * grid.cells[1] * grid.cells[2];
}

/// Divides the grid into cells at least `edge_nm` wide; returns false if there are more than
/// `most`.
template <class Precision>
bool divide(kernels::ListGrid<Precision>& grid, const double* extent_nm, double edge_nm,
            double most) {
  double cells = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double fit = std::floor(std::min(1e6, extent_nm[axis] / edge_nm));
    grid.cells[axis] = static_cast<int>(grid.periodic[axis] ? std::max(1.0, fit) : fit + 1);
    grid.edge[axis] = grid.periodic[axis] ? extent_nm[axis] / grid.cells[axis] : edge_nm;
    cells *= grid.cells[axis];
  }
  return cells <= most;
}

/// Divides the grid into the cells that are best for such lists, or into as many as are allowed.
template <class Precision>
void divide_to_fit(kernels::ListGrid<Precision>& grid, const double* extent_nm,
                   double list_distance_nm, double candidates) {
  // Limits memory if most of a box is empty.
  constexpr double cells_a_row = 16;
  double edge_nm = list_distance_nm * (1 + 1e-6) / kernels::cell_reach;
  const double most = std::min(0x1p30, 4096 + cells_a_row * candidates);  // cell indices are int
  while (!divide(grid, extent_nm, edge_nm, most)) edge_nm *= 1.26;
}

/// Adds all arrays of one NeighbourList, with groups of one row.
template <class Precision>
void plan_neighbour_list(device::MemoryPlan& plan, const domain::NeighbourCounts& list,
                         const domain::RankCounts& of_rank) {
  plan.in("lists");
  plan.array<int>("neighbour.row", list.candidates);
  if (list.rows == 0) return;
  kernels::ListGrid<Precision> grid{};
  for (std::size_t axis = 0; axis < 3; ++axis) grid.periodic[axis] = of_rank.box.is_periodic(axis);
  divide_to_fit(grid, of_rank.extent_nm.data(), list.range_nm,
                static_cast<double>(list.candidates));
  const std::int64_t cells = cells_of(grid), sorted = list.candidates + spare_candidates;
  plan.array<int>("neighbour.cell", list.candidates);
  plan.array<int>("neighbour.sorted", sorted);
  plan.array<int>("neighbour.sorted_id", sorted);
  plan.columns<typename Precision::Coordinate>("neighbour.sorted_x", sorted);
  plan.array<int>("neighbour.cell_count", cells);
  plan.array<int>("neighbour.cell_first", cells + 1);
  plan.array<int>("neighbour.count", list.rows);
  plan.array<int>("neighbour.has_ghost", list.rows);
  plan.array<int>("neighbour.overflow", 1);
  plan.array<int>("neighbour.order", list.rows);
  plan.array<std::int64_t>("neighbour.first", list.rows + 1);
  plan.array<int>("neighbour.entry",
                  list.sum_of([](int n) { return list_capacity(n); }) + kernels::pair_lanes);
}

/// Adds all arrays of the forces on a CPU.
template <class Precision>
void plan_host_forces(device::MemoryPlan& plan, const topology::Topology& topology,
                      const domain::RankCounts& counts) {
  PairPotentials::plan(plan, topology.short_range);
  const auto padded = kernels::padded(static_cast<int>(counts.owned));
  plan.in("pair forces");
  plan.array<kernels::PairRow<Precision>>("pair_row", record_capacity(counts.rows(), padded));
  plan.columns<std::int64_t>("pair_force", padded);
  plan.columns<std::int64_t>("charge_force", padded);
  plan_neighbour_list<Precision>(plan, counts.pairs, counts);
  plan_neighbour_list<Precision>(plan, counts.charges, counts);
}

}  // namespace nfold::forces
