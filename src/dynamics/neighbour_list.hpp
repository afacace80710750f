// The full neighbour lists of the owned rows: made, kept and grown here.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dynamics/launch.hpp"
#include "kernels/neighbour_search.hpp"

namespace nfold::dynamics {

/// Columns of coordinates and ids of the local rows, owned first.
template <class Precision>
struct LocalRows {
  kernels::Columns<const typename Precision::Coordinate> x;
  const int* residue;
  int owned, total;
};

template <class Precision>
class NeighbourList {
 public:
  NeighbourList()
      : cell_("neighbour.cell"),
        cell_count_("neighbour.cell_count"),
        cell_first_("neighbour.cell_first"),
        sorted_("neighbour.sorted"),
        count_("neighbour.count"),
        entry_("neighbour.entry"),
        first_("neighbour.first"),
        ghosts_listed_("neighbour.ghosts_listed"),
        overflow_("neighbour.overflow"),
        groups_("neighbour.groups") {
    overflow_.reserve(1);
  }

  /// Lists of all owned rows within list_distance_nm; grows and lists again if one was too short.
  void build(const LocalRows<Precision>& rows, double list_distance_nm, const int* excluded_first,
             const int* excluded) {
    groups_of_rows_ = kernels::padded(rows.owned) / kernels::row_group;
    if (rows.owned == 0) {
      interior_groups_ = 0;
      return;
    }
    sort_into_cells(rows, list_distance_nm);
    count_.reserve(kernels::padded(rows.owned));
    while (true) {
      const auto groups = static_cast<std::int64_t>(groups_of_rows_);
      // Stale entries must stay valid rows, so a longer list begins with zeros.
      entry_.reserve(groups * capacity_ * kernels::row_group);
      ghosts_listed_.reserve(groups);
      ghosts_listed_.fill(0);
      overflow_.fill(0);
      const double distance2 = list_distance_nm * list_distance_nm;
      launch("list neighbours", kernels::padded(rows.owned),
             kernels::ListNeighbours<Precision>{
                 grid_, rows.x, cell_first_.data(), sorted_.data(), cell_.data(), excluded_first,
                 excluded, rows.residue, rows.owned, capacity_,
                 static_cast<typename Precision::Real>(distance2), count_.data(), entry_.data(),
                 ghosts_listed_.data(), overflow_.data()});
      fence();
      const int needed = overflow_.element(0);
      if (needed <= capacity_) break;
      capacity_ = (needed + needed / 4 + 7) / 8 * 8;
      entry_ = DeviceArray<int>("neighbour.entry");
    }
    set_groups(rows);
  }

  [[nodiscard]] kernels::RowLists view() const {
    return {first_.data(), count_.data(), entry_.data()};
  }
  /// Groups of rows: first those whose lists hold no ghost.
  [[nodiscard]] const int* groups() const { return groups_.data(); }
  [[nodiscard]] int group_count() const { return groups_of_rows_; }
  [[nodiscard]] int interior_group_count() const { return interior_groups_; }
  [[nodiscard]] std::int64_t bytes() const {
    return cell_.bytes() + cell_count_.bytes() + cell_first_.bytes() + sorted_.bytes() +
           count_.bytes() + entry_.bytes() + first_.bytes() + groups_.bytes();
  }
  [[nodiscard]] std::int64_t entries(int owned) const {
    std::int64_t sum = 0;
    for (const int n : count_.download(owned)) sum += n;
    return sum;
  }

 private:
  using Coordinate = typename Precision::Coordinate;

  /// A grid whose cells are at least `edge` wide and not many more than the rows.
  void choose_grid(const LocalRows<Precision>& rows, double edge) {
    grid_.inverse_edge = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const Coordinate* const x = axis == 0 ? rows.x.x : axis == 1 ? rows.x.y : rows.x.z;
      grid_.origin[axis] = first_coordinate(x);
    }
    double extent[3];
    for (int axis = 0; axis < 3; ++axis) {
      const Coordinate* const x = axis == 0 ? rows.x.x : axis == 1 ? rows.x.y : rows.x.z;
      typename kernels::ExtentAlong<Precision>::Bounds bounds;
      Kokkos::parallel_reduce("bounding box", Kokkos::RangePolicy<Space>(0, rows.total),
                              kernels::ExtentAlong<Precision>{grid_, axis, x},
                              Kokkos::MinMax<double>(bounds));
      grid_.low[axis] = bounds.min_val;
      extent[axis] = bounds.max_val - bounds.min_val;
    }
    const double most = std::max(64.0, 2.0 * rows.total);
    while (true) {
      double cells = 1;
      for (int axis = 0; axis < 3; ++axis) {
        grid_.cells[axis] = static_cast<int>(std::min(1e6, std::floor(extent[axis] / edge))) + 1;
        cells *= grid_.cells[axis];
      }
      if (cells <= most) break;
      edge *= 1.26;
    }
    grid_.inverse_edge = 1 / edge;
  }
  static Coordinate first_coordinate(const Coordinate* x) {
    if constexpr (on_host) {
      return x[0];
    } else {
      Coordinate value{};
      Kokkos::deep_copy(
          value, Kokkos::View<const Coordinate, Space::memory_space, Kokkos::MemoryUnmanaged>(x));
      return value;
    }
  }

  void sort_into_cells(const LocalRows<Precision>& rows, double edge) {
    choose_grid(rows, edge);
    const int cells = grid_.cells[0] * grid_.cells[1] * grid_.cells[2];
    cell_.reserve(rows.total);
    sorted_.reserve(rows.total);
    cell_count_.reserve(cells);
    cell_first_.reserve(cells + 1);
    cell_count_.fill(0);
    launch("count cells", rows.total,
           kernels::CountCells<Precision>{grid_, rows.x, cell_.data(), cell_count_.data()});
    Kokkos::parallel_scan("cell offsets", Kokkos::RangePolicy<Space>(0, cells + 1),
                          kernels::CellOffsets{cell_count_.data(), cell_first_.data(), cells});
    cell_count_.fill(0);
    launch(
        "fill cells", rows.total,
        kernels::FillCells{cell_.data(), cell_first_.data(), cell_count_.data(), sorted_.data()});
  }

  void set_groups(const LocalRows<Precision>& rows) {
    if (first_groups_ != groups_of_rows_ || first_capacity_ != capacity_) {
      std::vector<std::int64_t> first(static_cast<std::size_t>(groups_of_rows_) + 1);
      for (std::size_t g = 0; g < first.size(); ++g) {
        first[g] = static_cast<std::int64_t>(g) * capacity_;
      }
      first_.upload(first);
      std::vector<int> order(static_cast<std::size_t>(groups_of_rows_));
      for (int g = 0; g < groups_of_rows_; ++g) order[static_cast<std::size_t>(g)] = g;
      groups_.upload(order);
      first_groups_ = groups_of_rows_;
      first_capacity_ = capacity_;
    }
    interior_groups_ = groups_of_rows_;
    if (rows.total == rows.owned) return;
    const auto has_ghost = ghosts_listed_.download(groups_of_rows_);
    std::vector<int> order;
    for (int g = 0; g < groups_of_rows_; ++g) {
      if (has_ghost[static_cast<std::size_t>(g)] == 0) order.push_back(g);
    }
    interior_groups_ = static_cast<int>(order.size());
    for (int g = 0; g < groups_of_rows_; ++g) {
      if (has_ghost[static_cast<std::size_t>(g)] != 0) order.push_back(g);
    }
    groups_.upload(order);
    first_groups_ = -1;
  }

  kernels::CellGrid<Precision> grid_{};
  DeviceArray<int> cell_, cell_count_, cell_first_, sorted_, count_, entry_;
  DeviceArray<std::int64_t> first_;
  DeviceArray<int> ghosts_listed_, overflow_, groups_;
  int capacity_ = 32;
  int groups_of_rows_ = 0, interior_groups_ = 0;
  int first_groups_ = -1, first_capacity_ = -1;
};

}  // namespace nfold::dynamics
