// Arrays of a GPU's forces, for allocation and for memory estimates of any build.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "device/device_array.hpp"
#include "device/refill.hpp"
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

/// Number of members with headroom for more ghosts, so that captured graphs stay valid.
[[nodiscard]] inline std::int64_t members_with_headroom(std::int64_t owned, std::int64_t present) {
  return owned + device::add_eighth(present - owned);
}
/// Gap between the records of owned rows and ghosts, so that no cache sector holds both.
[[nodiscard]] constexpr int ghost_shift(std::int64_t owned) { return static_cast<int>(owned % 2); }

/// Arrays of one SortedList and the numbers that determine their sizes.
template <class Precision>
class SortedArrays {
 public:
  using Coordinate = typename Precision::Coordinate;

  explicit SortedArrays(std::string name) : name_(std::move(name)) {}

  /// Reserves all arrays for estimated counts. Returns the number of the grid's keys.
  std::int64_t estimate(device::MemoryEstimate& estimate, const domain::RankCounts& counts,
                        bool is_all, double cell_nm) {
    const auto& list = is_all ? counts.pairs : counts.charges;
    is_all_ = is_all;
    owned_ = static_cast<int>(list.rows);
    estimate.in("rows in order").count([&] {
      reserve_tags(counts.residues);
      reserve_owned();
      // Number of charged partners is not known.
      const auto fixed = is_all ? counts.fixed_rows() : list.rows;
      for (const bool has_ghosts : {false, true}) {
        reserve_rows(has_ghosts ? counts.rows() : counts.fixed_rows());
        members_ =
            static_cast<int>(members_with_headroom(owned_, has_ghosts ? list.candidates : fixed));
        reserve_members(counts.halo.writes_to_peers);
      }
      if (counts.owned == 0) return;
      cells_for(counts.extent_nm.data(), cell_nm, members_, grid_.bits);
      reserve_cells();
    });
    estimate.in("lists").count([&] {
      reserve_lists();
      grow_for(list.longest());
    });
    grid_.ghosts_apart = members_ > owned_;
    return counts.owned == 0 ? 0 : grid_.keys();
  }
  /// Includes headroom for ghosts that are not present.
  [[nodiscard]] int members() const { return members_; }
  [[nodiscard]] int record_count() const { return members_ + forces::ghost_shift(owned_); }

  /// Sets the capacity of each list to at least `entries`.
  void set_capacity(int entries) {
    capacity_ = list_capacity_.capacity_for(entries);
    ++version_;
    entry_.reserve(TeamListCapacity::rows_padded(owned_) * capacity_);
  }
  /// Sets a capacity with headroom. A list that grows again exceeds its estimate and gets little
  /// headroom.
  void grow_for(int entries) {
    const bool is_first = capacity_ <= list_capacity_.capacity_for(TeamListCapacity::least_entries);
    set_capacity(is_first ? list_capacity_.capacity_with_spare(entries)
                          : list_capacity_.capacity_with_little_spare(entries));
  }

 protected:
  void reserve_tags(std::int64_t residues) {
    tag_.reserve(residues);
    present_.reserve(1);
  }
  /// Reserves what owned rows need, except their lists.
  void reserve_owned() {
    device::reserve_for_refill(force_, owned_);
    device::reserve_for_refill(chain_slot_, is_all_ ? owned_ : 0);
    list_capacity_ = TeamListCapacity::of(owned_, is_all_);
    border_.reserve(
        kernels::GhostBlocks::words_for(static_cast<int>(list_capacity_.blocks(owned_))));
  }
  void reserve_lists() {
    device::reserve_for_refill(count_, owned_);
    set_capacity(capacity_);
  }
  /// Reserves what local rows need. Returns true if the rows of the members were lost.
  bool reserve_rows(std::int64_t rows) {
    if (rows > slot_.size() && slot_.reserve_keeping(device::add_eighth(rows))) ++version_;
    if (is_all_) {
      tag_of_row_.reserve_keeping(slot_.size());
      return false;
    }
    const bool is_new = device::grow_by_eighth(row_, rows);
    if (is_new) ++version_;
    return is_new;
  }
  /// Reserves what members need; are_shared: their records are in other memory. Returns true if an
  /// array was reallocated.
  bool reserve_members(bool are_shared) {
    bool is_new = !are_shared && device::grow_by_eighth(record_, record_count());
    is_new = device::grow_by_eighth(row_of_slot_, members_) || is_new;
    return device::grow_by_eighth(coarse_, members_) || is_new;
  }
  /// Reserves what the cells of grid_.bits need.
  void reserve_cells() {
    grid_.coarse_log2 = std::min(1, *std::min_element(grid_.bits, grid_.bits + 3));
    coarse_rank_.reserve(grid_.coarse_cells());
    rank_.reserve(grid_.cells());
  }

  std::string name_;
  device::DeviceArray<int> row_{name_ + ".row"}, slot_{name_ + ".slot"},
      row_of_slot_{name_ + ".row_of_slot"}, rank_{name_ + ".rank"},
      coarse_rank_{name_ + ".coarse_rank"}, entry_{name_ + ".entry"}, count_{name_ + ".count"},
      present_{name_ + ".present"};
  device::DeviceArray<Coordinate> tag_{name_ + ".tag"}, tag_of_row_{name_ + ".tag_of_row"};
  device::DeviceArray<kernels::PackedRow<Precision>> record_{name_ + ".record"};
  device::DeviceArray<kernels::PackedRow<kernels::Mixed>> coarse_{name_ + ".coarse"};
  device::DeviceArray<kernels::ForceRow<Precision>> force_{name_ + ".force"};
  device::DeviceArray<kernels::ChainNeighbours> chain_slot_{name_ + ".chain_slot"};
  device::DeviceArray<unsigned> border_{name_ + ".border"};  // bits of kernels::GhostBlocks
  kernels::SpatialGrid grid_{};
  TeamListCapacity list_capacity_{4};
  int members_ = 0, owned_ = 0, capacity_ = TeamListCapacity::least_entries;
  int version_ = 0;  // changes with the cells and the capacities that captured launches depend on
  bool is_all_ = true;
};

/// Arrays of a GPU's forces beside those of its two lists.
template <class Precision>
class SortedForceArrays {
 public:
  using Real = typename Precision::Real;

  static void estimate(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const domain::RankCounts& counts) {
    PairPotentials::estimate(estimate, topology);
    SortedForceArrays arrays;
    estimate.count([&] { arrays.set_mixing(topology.short_range); });
    SortedArrays<Precision> all("rows"), charged("charged");
    const auto keys = all.estimate(estimate, counts, true, all_cells_nm) +
                      charged.estimate(estimate, counts, false, charged_cells_nm);
    estimate.in("rows in order").count([&] {
      arrays.reserve_marks();
      arrays.reserve_members(std::int64_t{all.members()} + charged.members());
      if (counts.owned == 0) return;
      arrays.reserve_keys(keys);
      // Upper bound of the scan's work space, one state per tile; only a device has the exact size.
      arrays.scan_.reserve(4096 + (keys + 1) / 64);
    });
  }

 protected:
  void set_mixing(const topology::ShortRange& table) {
    std::vector<kernels::TypeMixing<Real>> mixing;
    pair_forms::with_form(table.form, [&](auto form) {
      if constexpr (form.has_type_columns) {
        for (std::size_t t = 0; t < table.type_sigma_nm.size(); ++t) {
          const auto columns = form.type_columns(table, t);
          mixing.push_back(
              {static_cast<Real>(columns.half_sigma_nm), static_cast<Real>(columns.half_lambda)});
        }
        types_ = static_cast<int>(mixing.size());
      }
    });
    if (mixing.empty()) mixing.resize(1);
    mixing_.upload(mixing);
  }
  void reserve_marks() {
    occupied_.reserve(3);
    wanted_.reserve(2);
  }
  /// Returns true if an array was reallocated.
  bool reserve_members(std::int64_t members) {
    const bool is_new = key_.reserve(members);
    return place_.reserve(members) || is_new;
  }
  void reserve_keys(std::int64_t keys) {
    count_.reserve(keys + 1);
    first_.reserve(keys + 1);
  }

  device::DeviceArray<kernels::TypeMixing<Real>> mixing_{"type_mixing"};
  device::DeviceArray<kernels::SpatialGrid::OccupiedRange> occupied_{"stretch"};
  device::DeviceArray<int> count_{"cell_count"}, first_{"cell_first"}, key_{"cell_key"},
      place_{"cell_place"}, wanted_{"list_wanted"};
  device::DeviceArray<char> scan_{"scan"};
  int types_ = 0;
};

}  // namespace nfold::forces
