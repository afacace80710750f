// Row migration: packing on the device, exchange, placement on the device.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/row_migration.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "device/launch.hpp"

namespace nfold::engine {

using kernels::MovedRow;

RowMigration find_row_migration(const domain::Ownership& before, const domain::Ownership& after,
                                int rank, int rank_count) {
  RowMigration move;
  const auto ranks = static_cast<std::size_t>(rank_count);
  const auto at = [](int other) { return static_cast<std::size_t>(other); };
  std::vector<int> coming(ranks, 0);
  move.leaving_to.assign(ranks, 0);
  for (std::size_t id = 0; id < after.size(); ++id) {
    if (after[id] == rank && before[id] != rank) ++coming[at(before[id])];
    if (after[id] != rank && before[id] == rank) ++move.leaving_to[at(after[id])];
  }
  // Rows of each rank are contiguous, by ascending id.
  std::vector<int> next_coming(ranks, 0), next_leaving(ranks, 0);
  for (std::size_t r = 1; r < ranks; ++r) {
    next_coming[r] = next_coming[r - 1] + coming[r - 1];
    next_leaving[r] = next_leaving[r - 1] + static_cast<int>(move.leaving_to[r - 1]);
  }
  move.leaving.resize(at(next_leaving.back()) + static_cast<std::size_t>(move.leaving_to.back()));
  int old_row = 0;
  for (std::size_t id = 0; id < after.size(); ++id) {
    if (before[id] == rank) {
      if (after[id] == rank) {
        move.source.push_back(old_row);
      } else {
        move.leaving[at(next_leaving[at(after[id])]++)] = old_row;
      }
      ++old_row;
    } else if (after[id] == rank) {
      move.source.push_back(-1 - next_coming[at(before[id])]++);
    }
  }
  return move;
}

MigrationBuffers::MigrationBuffers(const RowMigration& move) {
  const auto coming =
      std::count_if(move.source.begin(), move.source.end(), [](int from) { return from < 0; });
  const auto rows = [](const std::string& label, std::size_t count) {
    return Rows(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), count);
  };
  leaving_row.upload(move.leaving);
  source.upload(move.source);
  leaving = rows("moving.leaving", move.leaving.size());
  came = rows("moving.came", static_cast<std::size_t>(coming));
}

template <class Precision>
void migrate_rows(const comm::Communicator& communicator, const RowMigration& move,
                  const MigrationBuffers& buffers, ResidueState<Precision>& state) {
  device::launch("pack moved rows", static_cast<int>(buffers.leaving.size()),
                 kernels::PackMovedRows{buffers.leaving_row.data(), state.position.read(),
                                        state.velocity.read(), buffers.leaving.data()});
  device::fence();
  communicator.exchange(std::span<const MovedRow>(buffers.leaving.data(), buffers.leaving.size()),
                        move.leaving_to,
                        std::span<MovedRow>(buffers.came.data(), buffers.came.size()));
  const auto owned = static_cast<int>(move.source.size());
  const auto rows = static_cast<std::int64_t>(kernels::padded(owned));
  auto& position = state.saved_position.front();
  auto& velocity = state.saved_velocity.front();
  device::reserve_for_refill(position, rows);
  device::reserve_for_refill(velocity, rows);
  device::launch("place moved rows", static_cast<int>(rows),
                 kernels::PlaceMovedRows{buffers.source.data(), owned, buffers.came.data(),
                                         state.position.read(), state.velocity.read(),
                                         position.view(), velocity.view()});
  device::fence();
  device::reserve_for_refill(state.position, rows);
  device::reserve_for_refill(state.velocity, rows);
  state.position.copy_from(position, rows);
  state.velocity.copy_from(velocity, rows);
  state.owned = owned;
}

template void migrate_rows(const comm::Communicator&, const RowMigration&, const MigrationBuffers&,
                           ResidueState<kernels::Mixed>&);
template void migrate_rows(const comm::Communicator&, const RowMigration&, const MigrationBuffers&,
                           ResidueState<kernels::Full>&);

}  // namespace nfold::engine
