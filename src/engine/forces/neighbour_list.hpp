// Full neighbour lists of the owned rows of one potential.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "domain/rank_counts.hpp"
#include "engine/forces/list_length.hpp"
#include "engine/forces/local_rows.hpp"
#include "kernels/loops/neighbour_search.hpp"
#include "kernels/loops/pair_loop.hpp"
#include "system/box.hpp"

namespace nfold::forces {

/// Capacity of interleaved lists of one group, for the group's longest list.
[[nodiscard]] KOKKOS_FUNCTION constexpr std::int64_t list_capacity(std::int64_t longest) {
  return (longest + longest / 8 + 15) / 8 * 8;
}

/// Padding, because a search reads whole vectors of candidates.
inline constexpr int spare_candidates = 2 * kernels::pair_lanes;

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

/// Scan that assigns list capacities after an overflow: an eighth and 8 entries more than needed.
struct ListCapacityScan {
  const int* count;     // (selected)
  std::int64_t* first;  // (groups + 1)
  int selected, groups;
  KOKKOS_FUNCTION void operator()(int group, std::int64_t& sum, bool final) const {
    if (final) first[group] = sum;
    if (group == groups) return;
    std::int64_t longest = 0;
    for (int c = group * kernels::list_group; c < (group + 1) * kernels::list_group; ++c) {
      if (c < selected && count[c] > longest) longest = count[c];
    }
    sum += list_capacity(longest);
  }
};

template <class Precision>
class NeighbourList {
 public:
  /// Selects the rows between which the potential acts: `owned` owned ones, then ghosts. Lists must
  /// be built again.
  void select(std::vector<int> rows, int owned) {
    selected_ = owned;
    candidates_ = static_cast<int>(rows.size());
    if (rows.empty()) rows.push_back(0);
    row_.upload(rows);
    order_is_plain_ = false;
  }

  /// Builds lists of all selected owned rows within list_distance_nm; grows and repeats on
  /// overflow. A periodic box must be at least twice the cutoff, which the engine has checked.
  void build(const LocalRows<Precision>& rows, const system::Box& box, double list_distance_nm) {
    interior_ = selected_;
    if (selected_ == 0) return;
    choose_grid(rows.x, box, list_distance_nm);
    sort_into_cells(rows.x, rows.excluded.id);
    const auto build_within_capacity = [&] {
      overflow_.fill(0);
      const auto distance = static_cast<typename Precision::Real>(list_distance_nm);
      device::launch(
          "list neighbours", selected_,
          kernels::ListNeighbours<Precision>{
              grid_, coordinate_scale<Precision, typename Precision::Real>(box), row_.data(),
              cell_.data(), rows.x, cell_first_.data(), sorted_.data(), sorted_x_.read(),
              sorted_id_.data(), rows.excluded, rows.owned, distance * distance, first_.data(),
              count_.data(), entry_.data(), has_ghost_.data(), overflow_.data()});
      device::fence();
      return overflow_.element(0) == 0;
    };
    reserve_rows();
    if (reserved_rows_ != selected_) reset_capacity();
    while (!build_within_capacity()) enlarge_lists();
    set_order();
  }

  /// Reserves all arrays for estimated counts, with lists in groups of one row.
  void reserve(const domain::NeighbourCounts& list, const domain::RankCounts& of_rank) {
    selected_ = static_cast<int>(list.rows);
    candidates_ = static_cast<int>(list.candidates);
    row_.reserve(candidates_);
    if (selected_ == 0) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      grid_.periodic[axis] = of_rank.box.is_periodic(axis);
    }
    divide_to_fit(grid_, of_rank.extent_nm.data(), list.range_nm, candidates_);
    reserve_cells();
    reserve_rows();
    order_.reserve(selected_);
    first_.reserve(list.rows + 1);
    entry_.reserve(list.sum_of([](int n) { return list_capacity(n); }) + kernels::pair_lanes);
  }
  /// Reserves capacity for lists `times` as long. Returns true if lists must be built again.
  [[nodiscard]] bool reserve_for_longer(double times) {
    if (selected_ == 0) return false;
    std::int64_t entries = kernels::pair_lanes;
    for (const int n : count_.download(selected_))
      entries += list_capacity(scale_entries(n, times));
    return entry_.reserve(entries);
  }

  [[nodiscard]] kernels::PairLists view() const {
    return {order_.data(), row_.data(), first_.data(), count_.data(), entry_.data(), selected_};
  }
  [[nodiscard]] int selected() const { return selected_; }
  /// Number of selected rows, first in order, whose lists have no ghost.
  [[nodiscard]] int interior() const { return interior_; }
  [[nodiscard]] std::int64_t bytes() const {
    return cell_.bytes() + cell_count_.bytes() + cell_first_.bytes() + sorted_.bytes() +
           sorted_x_.bytes() + sorted_id_.bytes() + count_.bytes() + entry_.bytes() +
           first_.bytes() + order_.bytes() + row_.bytes() + has_ghost_.bytes();
  }
  [[nodiscard]] std::int64_t entries() const {
    std::int64_t sum = 0;
    if (selected_ > 0) {
      for (const int n : count_.download(selected_)) sum += n;
    }
    return sum;
  }

 private:
  using Coordinate = typename Precision::Coordinate;
  [[nodiscard]] int groups() const {
    return (selected_ + kernels::list_group - 1) / kernels::list_group;
  }

  void reserve_cells() {
    const int cells = cells_of(grid_);
    cell_.reserve(candidates_);
    sorted_.reserve(candidates_ + spare_candidates);
    sorted_id_.reserve(candidates_ + spare_candidates);
    sorted_x_.reserve(candidates_ + spare_candidates);
    cell_count_.reserve(cells);
    cell_first_.reserve(cells + 1);
  }
  void reserve_rows() {
    count_.reserve(selected_);
    has_ghost_.reserve(selected_);
    overflow_.reserve(1);
  }
  void reset_capacity() {
    first_.upload(std::vector<std::int64_t>(static_cast<std::size_t>(groups()) + 1, 0));
    entry_.reserve(kernels::pair_lanes);
    reserved_rows_ = selected_;
  }

  /// Enlarges the lists, after a pass that counted all neighbours.
  void enlarge_lists() {
    Kokkos::parallel_scan(
        "list room", Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, groups() + 1),
        ListCapacityScan{count_.data(), first_.data(), selected_, groups()});
    device::fence();
    // A loop reads up to a vector of entries beyond the end of a list; they must be valid rows.
    const std::int64_t entries = first_.element(groups()) * kernels::list_group;
    if (entries + kernels::pair_lanes > entry_.size())
      entry_ = device::DeviceArray<int>("neighbour.entry");
    entry_.reserve(entries + kernels::pair_lanes);
  }

  void choose_grid(kernels::Columns<const Coordinate> x, const system::Box& box,
                   double list_distance_nm) {
    const Coordinate* const columns[3] = {x.x, x.y, x.z};
    double extent[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      grid_.periodic[axis] = box.is_periodic(axis);
      grid_.nm[axis] = box.span_nm(axis) / Precision::coordinates_per_turn;
      grid_.low[axis] = 0;
      extent[axis] = box.length_nm[axis];
      if (grid_.periodic[axis]) continue;
      grid_.origin[axis] = element(columns[axis], row_.element(0));
      typename kernels::ExtentAlong<Precision>::Bounds bounds;
      Kokkos::parallel_reduce(
          "bounding box",
          Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, candidates_),
          kernels::ExtentAlong<Precision>{grid_, static_cast<int>(axis), row_.data(),
                                          columns[axis]},
          Kokkos::MinMax<double>(bounds));
      grid_.low[axis] = bounds.min_val;
      extent[axis] = bounds.max_val - bounds.min_val;
    }
    divide_to_fit(grid_, extent, list_distance_nm, candidates_);
  }

  static Coordinate element(const Coordinate* x, int row) {
    if constexpr (device::on_host) {
      return x[row];
    } else {
      Coordinate value{};
      Kokkos::deep_copy(
          value,
          Kokkos::View<const Coordinate, device::Space::memory_space, Kokkos::MemoryUnmanaged>(
              x + row));
      return value;
    }
  }

  void sort_into_cells(kernels::Columns<const Coordinate> x, const int* id) {
    const int cells = cells_of(grid_);
    reserve_cells();
    cell_count_.fill(0);
    device::launch(
        "count cells", candidates_,
        kernels::CountCells<Precision>{grid_, row_.data(), x, cell_.data(), cell_count_.data()});
    Kokkos::parallel_scan(
        "cell offsets", Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, cells + 1),
        kernels::CellOffsets{cell_count_.data(), cell_first_.data(), cells});
    cell_count_.fill(0);
    device::launch("fill cells", candidates_,
                   kernels::FillCells<Precision>{row_.data(), cell_.data(), cell_first_.data(), x,
                                                 id, cell_count_.data(), sorted_.data(),
                                                 sorted_id_.data(), sorted_x_.view()});
  }

  void set_order() {
    if (candidates_ == selected_) {
      if (order_is_plain_) return;
      std::vector<int> order(static_cast<std::size_t>(selected_));
      std::iota(order.begin(), order.end(), 0);
      order_.upload(order);
      order_is_plain_ = true;
      return;
    }
    const auto has_ghost = has_ghost_.download(selected_);
    std::vector<int> order;
    order.reserve(has_ghost.size());
    for (const int border : {0, 1}) {
      for (int c = 0; c < selected_; ++c) {
        if (has_ghost[static_cast<std::size_t>(c)] == border) order.push_back(c);
      }
      if (border == 0) interior_ = static_cast<int>(order.size());
    }
    order_.upload(order);
  }

  kernels::ListGrid<Precision> grid_{};
  device::DeviceArray<int> row_{"neighbour.row"}, cell_{"neighbour.cell"},
      cell_count_{"neighbour.cell_count"}, cell_first_{"neighbour.cell_first"},
      sorted_{"neighbour.sorted"}, sorted_id_{"neighbour.sorted_id"}, count_{"neighbour.count"},
      entry_{"neighbour.entry"}, order_{"neighbour.order"}, has_ghost_{"neighbour.has_ghost"},
      overflow_{"neighbour.overflow"};
  device::DeviceColumns<Coordinate> sorted_x_{"neighbour.sorted_x"};
  device::DeviceArray<std::int64_t> first_{"neighbour.first"};
  int selected_ = 0, candidates_ = 0, interior_ = 0;
  int reserved_rows_ = -1;
  bool order_is_plain_ = false;
};

}  // namespace nfold::forces
