// Residues of one rank on the device: exact state, saved copies, rounded coordinates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "device/device_array.hpp"
#include "device/refill.hpp"
#include "domain/rank_counts.hpp"
#include "engine/row_kicks.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/loops/pair_rows.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::engine {

/// Columns by local row: the owned residues by ascending id, followed in `coordinate` and `listed`
/// by ghosts. The exact state has owned rows only.
template <class Precision>
struct ResidueState {
  using Coordinate = typename Precision::Coordinate;

  int owned = 0;
  device::DeviceColumns<std::int64_t> position{"position"};
  device::DeviceColumns<double> velocity{"velocity"};
  // Two copies, because a captured block starts before the outcome of the previous one is known.
  std::array<device::DeviceColumns<std::int64_t>, 2> saved_position{
      device::DeviceColumns<std::int64_t>("saved_position", device::ArrayUse::spare_buffers),
      device::DeviceColumns<std::int64_t>("saved_position2", device::ArrayUse::spare_buffers)};
  std::array<device::DeviceColumns<double>, 2> saved_velocity{
      device::DeviceColumns<double>("saved_velocity", device::ArrayUse::spare_buffers),
      device::DeviceColumns<double>("saved_velocity2", device::ArrayUse::spare_buffers)};
  /// Coordinates rounded to the precision: current, and at the last list build.
  device::DeviceColumns<Coordinate> coordinate{"coordinate"}, listed{"listed_coordinate"};
  device::DeviceColumns<std::int64_t> total_force{
      "total_force", device::ArrayUse::spare_buffers};  ///< [force quanta]; filled on request
  RowKickTable kicks;
  device::DeviceArray<double> mass{"mass"};

  /// Number of work items of a kernel over the owned rows.
  [[nodiscard]] int items() const {
    return kernels::lanes == 1 ? owned : kernels::padded(owned) / kernels::lanes;
  }

  /// Uploads positions and velocities of the rows of `ids`, of which the first `owned_rows` are
  /// this rank's, from a state of all `residues` or of exactly these rows. One column at a time,
  /// because a GPU may hold more residues than the host has memory for copies.
  void take(const system::State& from, const std::vector<int>& ids, int owned_rows,
            std::size_t residues) {
    owned = owned_rows;
    if (from.position.size() != residues) {
      put_back(from);
      return;
    }
    upload([&](std::size_t row) { return static_cast<std::size_t>(ids[row]); }, from);
  }
  /// Uploads the masses (rows, padded) and kicks of the owned rows.
  void take_masses(const std::vector<double>& mass_amu, const RowKickTable::Host& host_kicks) {
    device::refill(mass, mass_amu);
    kicks.take(host_kicks);
  }
  /// Reserves saved copies and total forces.
  void make_room_for_copies() {
    const auto rows = static_cast<std::int64_t>(kernels::padded(owned));
    for (std::size_t copy = 0; copy < (device::reserves_on_gpu() ? 2 : 1); ++copy) {
      device::reserve_for_refill(saved_position[copy], rows);
      device::reserve_for_refill(saved_velocity[copy], rows);
    }
    device::reserve_for_refill(total_force, rows);
  }
  static void estimate(device::MemoryEstimate& estimate, const domain::RankCounts& counts) {
    estimate.in("state").count([&] {
      ResidueState state;
      state.owned = static_cast<int>(counts.owned);
      const std::int64_t rows = kernels::padded(state.owned);
      state.position.reserve(rows);
      state.velocity.reserve(rows);
      state.make_room_for_copies();
      state.reserve_rows(counts.fixed_rows());
      state.reserve_rows(counts.rows());
      state.kicks.reserve(rows, kernels::types_at_most);
      state.mass.reserve(rows);
    });
  }
  [[nodiscard]] bool has_capacity_for(int local_rows) const {
    const auto rows = static_cast<std::int64_t>(std::max(local_rows, kernels::padded(owned)));
    return rows <= coordinate.size() && rows <= listed.size();
  }
  /// Reserves capacity for local rows. Returns true if a column was reallocated.
  bool reserve_rows(std::int64_t local_rows) {
    const auto rows = std::max<std::int64_t>(local_rows, kernels::padded(owned));
    const bool has_moved = device::grow_by_eighth(coordinate, rows);
    return device::grow_by_eighth(listed, rows) || has_moved;
  }
  void save() {
    saved_position[0].copy_from(position, owned);
    saved_velocity[0].copy_from(velocity, owned);
  }
  /// Restores a saved copy; rounded coordinates stay unchanged.
  void restore_copy(int copy) {
    position.copy_from(saved_position[static_cast<std::size_t>(copy)], owned);
    velocity.copy_from(saved_velocity[static_cast<std::size_t>(copy)], owned);
  }
  /// Uploads a state that download() returned.
  void put_back(const system::State& mine) {
    upload([](std::size_t row) { return row; }, mine);
  }
  /// Returns the owned rows on the host.
  [[nodiscard]] system::State download(std::int64_t step, const std::vector<int>& ids) const {
    system::State state;
    state.step = step;
    state.id.assign(ids.begin(), ids.begin() + owned);
    state.position = position.download(owned);
    state.velocity = velocity.download(owned);
    return state;
  }

 private:
  /// place_of(row): index of an owned row in `from`.
  template <class PlaceOf>
  void upload(const PlaceOf& place_of, const system::State& from) {
    const auto rows = static_cast<std::size_t>(owned);
    const auto padded = static_cast<std::size_t>(kernels::padded(owned));
    position.upload(rows, padded, [&](std::size_t row) { return from.position[place_of(row)]; });
    velocity.upload(rows, padded, [&](std::size_t row) { return from.velocity[place_of(row)]; });
  }
};

/// Copy of the owned rows that a GPU run holds for a checkpoint.
struct HeldRows {
  static constexpr auto use = device::ArrayUse::checkpoint_copies;
  device::DeviceColumns<std::int64_t> position{"held_position", use};
  device::DeviceColumns<double> velocity{"held_velocity", use};

  void reserve(std::int64_t rows) {
    position.reserve(rows);
    velocity.reserve(rows);
  }
};

}  // namespace nfold::engine
