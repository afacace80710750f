// Local rows in spatial order: slots, records and lists of one potential's members.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "device/launch.hpp"
#include "engine/forces/list_length.hpp"
#include "engine/forces/local_rows.hpp"
#include "engine/forces/sorted_arrays.hpp"
#include "kernels/cuda/list_search.hpp"
#include "kernels/cuda/pair_team.hpp"
#include "kernels/cuda/spatial_order.hpp"
#include "kernels/cuda/team_lists.hpp"
#include "kernels/loops/gathered_force.hpp"
#include "system/box.hpp"

namespace nfold::forces {

/// Memory that peers write, for two consecutive record sets; or none.
template <class Precision>
struct SharedSets {
  kernels::PackedRow<Precision>* first = nullptr;
  std::int64_t records_per_set = 0;  // capacity of one set in records
  int taken = 0;  // allocation count: a new allocation often has the same address
  bool operator==(const SharedSets&) const = default;
};

/// Members of one potential: all rows, or the charged ones.
template <class Precision>
class SortedList : public SortedArrays<Precision> {
  using Arrays = SortedArrays<Precision>;
  using Arrays::border_, Arrays::capacity_, Arrays::chain_slot_, Arrays::coarse_,
      Arrays::coarse_rank_, Arrays::count_, Arrays::entry_, Arrays::force_, Arrays::grid_,
      Arrays::is_all_, Arrays::list_capacity_, Arrays::members_, Arrays::owned_, Arrays::present_,
      Arrays::rank_, Arrays::record_, Arrays::row_, Arrays::row_of_slot_, Arrays::slot_,
      Arrays::tag_, Arrays::tag_of_row_, Arrays::version_;

 public:
  using Arrays::set_capacity;
  using typename Arrays::Coordinate;

  explicit SortedList(const std::string& name) : Arrays(name) {}

  /// Sets (residues) the tag in each residue's record, by id. is_all: every row is a member,
  /// otherwise only rows with a nonzero tag.
  void set_tags(const std::vector<Coordinate>& tags, bool is_all) {
    is_all_ = is_all;
    this->reserve_tags(std::ssize(tags));
    tag_.upload(tags);
  }
  [[nodiscard]] bool is_all() const { return is_all_; }
  /// Sets the owned rows, `members` of which have a tag.
  void set_owned(int members) {
    owned_ = members;
    this->reserve_owned();
    this->reserve_lists();
  }
  /// Finds the members among the local rows, whose ids are on the device, owned ones first.
  /// new_ghosts: only the rows after the owned ones changed. Waits for the GPU.
  void find_members(const int* id, int owned_rows, int rows, bool new_ghosts) {
    const bool rows_are_lost = this->reserve_rows(rows);
    places_are_new_ = !new_ghosts;
    if (is_all_) {
      present_count_ = rows;
      present_.set(0, rows);
    } else {
      if (places_are_new_) slot_.fill(-1);
      if (rows_are_lost) new_ghosts = false;
      if (!new_ghosts) present_count_ = collect(id, 0, owned_rows, 0);
      present_count_ = collect(id, owned_rows, rows, new_ghosts ? owned_ : present_count_);
      present_.set(0, present_count_);
    }
    const int ghosts = present_count_ - owned_;
    if (!new_ghosts || present_count_ > members_ || has_excess_capacity(ghosts)) {
      members_ = static_cast<int>(members_with_headroom(owned_, present_count_));
      ++version_;
    }
  }
  [[nodiscard]] int present() const { return present_count_; }
  /// True if find_ghosts() can take so many local rows and members without reallocation, so that
  /// captured graphs stay valid.
  [[nodiscard]] bool has_capacity_for(int rows, int present) const {
    return rows <= slot_.size() && (is_all_ || rows <= row_.size()) && present <= members_ &&
           !has_excess_capacity(present - owned_);
  }
  /// Like find_members() with new ghosts; requires has_capacity_for(). Does not wait.
  void find_ghosts(const int* id, int owned_rows, int rows, int present) {
    places_are_new_ = false;
    present_count_ = present;
    device::launch("count present", 1, kernels::SetNumber{present_.data(), present});
    if (is_all_ || rows == owned_rows) return;
    Kokkos::parallel_scan(
        "collect ghosts",
        Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, rows - owned_rows),
        collector(id, owned_rows, owned_));
  }
  /// Returns the number of residues with a tag among these ids on the device. Waits for the GPU.
  [[nodiscard]] int count_tagged(const int* ids, int n) const {
    int found = 0;
    if (n > 0) {
      Kokkos::parallel_reduce("count tagged",
                              Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, n),
                              kernels::CountTagged<Coordinate>{tag_.data(), ids}, found);
    }
    return found;
  }
  /// Call after find_members(). Puts the records in `shared`, or in an own array if there is none.
  void place_members(const int* id, const SharedSets<Precision>& shared) {
    bool is_new = shared != shared_ || places_are_new_;
    shared_ = shared;
    is_new = this->reserve_members(shared.first != nullptr) || is_new;
    if (is_new) {
      ++version_;
      device::launch("place owned", owned_,
                     kernels::SetOwnedSlots<Precision>{members_view(0), id, places_are_new_});
    }
    device::launch("place ghosts", present_count_ - owned_,
                   kernels::SetGhostSlots<Precision>{members_view(0), id});
  }

  /// Chooses 2^bits cells along each axis, about `edge_nm` wide; fewer if most of the box is empty.
  void choose_cells(const double* extent_nm, double edge_nm) {
    int bits[3];
    cells_for(extent_nm, edge_nm, members_, bits);
    if (rank_.size() > 0 && std::equal(bits, bits + 3, grid_.bits)) return;
    ++version_;
    std::copy(bits, bits + 3, grid_.bits);
    this->reserve_cells();
    const int coarse[3] = {grid_.coarse_bits(0), grid_.coarse_bits(1), grid_.coarse_bits(2)};
    device::launch(
        "rank cells", grid_.coarse_cells(),
        kernels::IndexCellsAlongCurve{{coarse[0], coarse[1], coarse[2]}, coarse_rank_.data()});
    device::launch("rank cells", grid_.cells(),
                   kernels::IndexCellsAlongCurve{{bits[0], bits[1], bits[2]}, rank_.data()});
  }
  void set_grid(const system::Box& box, const kernels::SpatialGrid::OccupiedRange* occupied,
                int first_key) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      grid_.periodic[axis] = box.is_periodic(axis);
      grid_.nm[axis] = static_cast<float>(box.span_nm(axis) * 0x1p-32);
    }
    grid_.occupied = occupied;
    grid_.rank = rank_.data();
    grid_.coarse_rank = coarse_rank_.data();
    grid_.first_key = first_key;
    grid_.ghosts_apart = members_ > owned_;
  }
  /// True once reserve_for_longer() was called.
  [[nodiscard]] bool is_reserved_for_longer() const { return is_reserved_for_longer_; }
  /// Reserves capacity for lists `times` as long. Returns true if lists must be built again. Acts
  /// once: capacity is per row, and a repartition does not change it. Waits for the GPU.
  [[nodiscard]] bool reserve_for_longer(double times) {
    if (owned_ == 0 || std::exchange(is_reserved_for_longer_, true)) return false;
    int longest = 0;
    Kokkos::parallel_reduce(
        "longest list", Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, owned_),
        kernels::LongestList{count_.data()}, Kokkos::Max<int>(longest));
    const int wanted = list_capacity_.capacity_with_spare(scale_entries(longest, times));
    if (wanted <= capacity_) return false;
    set_capacity(wanted);
    return true;
  }

  /// set: index of the record set.
  [[nodiscard]] kernels::SortedMembers<Precision> members_view(int set) const {
    return {grid_,
            is_all_ ? nullptr : row_.data(),
            tag_.data(),
            members_,
            owned_,
            owned_ + ghost_shift(),
            present_.data(),
            slot_.data(),
            is_all_ ? tag_of_row_.data() : nullptr,
            row_of_slot_.data(),
            records(set),
            shared_.first == nullptr ? nullptr : records(1 - set),
            coarse_.data(),
            border_.data(),
            block_rows_log2()};
  }
  /// log2 of the owned slots per block of the pair loop, and the number of such blocks.
  [[nodiscard]] int block_rows_log2() const { return list_capacity_.block_rows_log2(); }
  [[nodiscard]] int blocks() const { return static_cast<int>(list_capacity_.blocks(owned_)); }
  [[nodiscard]] unsigned* border() const { return border_.data(); }
  [[nodiscard]] kernels::TeamLists lists() const {
    return {entry_.data(), count_.data(), capacity_, list_capacity_.lanes_log2, owned_};
  }
  /// Changes with the cells and the capacities that captured launches depend on.
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] const kernels::SpatialGrid& grid() const { return grid_; }
  [[nodiscard]] const int* present_on_device() const { return present_.data(); }
  [[nodiscard]] int owned() const { return owned_; }
  [[nodiscard]] int ghost_shift() const { return forces::ghost_shift(owned_); }
  [[nodiscard]] int capacity() const { return capacity_; }
  [[nodiscard]] const Coordinate* tags_of_rows() const { return tag_of_row_.data(); }
  [[nodiscard]] const int* slots() const { return slot_.data(); }
  [[nodiscard]] const int* rows_of_slots() const { return row_of_slot_.data(); }
  /// Records of set 0, or of set 1 if double-buffered.
  [[nodiscard]] kernels::PackedRow<Precision>* records(int set) const {
    return shared_.first == nullptr ? record_.data()
                                    : shared_.first + set * shared_.records_per_set;
  }
  [[nodiscard]] const kernels::PackedRow<kernels::Mixed>* coarse() const { return coarse_.data(); }
  [[nodiscard]] kernels::ForceRow<Precision>* force() const { return force_.data(); }
  [[nodiscard]] kernels::ChainNeighbours* chain_slots() const { return chain_slot_.data(); }
  [[nodiscard]] std::int64_t entries() const {
    std::int64_t sum = 0;
    if (owned_ > 0) {
      for (const int n : count_.download(owned_)) sum += n;
    }
    return sum;
  }
  [[nodiscard]] std::int64_t list_bytes() const { return entry_.bytes(); }

 private:
  [[nodiscard]] bool has_excess_capacity(int ghosts) const {
    return members_ - owned_ > 2 * ghosts + 1024;
  }
  /// Kernel that appends the members among the rows from `first` on after `members` others.
  [[nodiscard]] kernels::CollectMembers<Coordinate> collector(const int* id, int first,
                                                              int members) const {
    return {tag_.data(), id, first, members, row_.data(), slot_.data()};
  }
  /// Appends the members among rows `first` to `last` after `members` others; returns their total.
  /// Waits for the GPU.
  int collect(const int* id, int first, int last, int members) {
    int found = 0;
    if (last > first) {
      Kokkos::parallel_scan(
          "collect members",
          Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, last - first),
          collector(id, first, members), found);
    }
    return members + found;
  }

  SharedSets<Precision> shared_;
  int present_count_ = 0;
  bool is_reserved_for_longer_ = false;
  bool places_are_new_ = true;
};

}  // namespace nfold::forces
