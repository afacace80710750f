// Migration of rows: leaving rows, new row order, and messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "device/device_array.hpp"
#include "device/staged_array.hpp"
#include "domain/partition.hpp"
#include "engine/residue_state.hpp"
#include "kernels/loops/moved_rows.hpp"

namespace nfold::engine {

/// Row migration of one rank, computed from two partitions.
struct RowMigration {
  std::vector<int> leaving;  ///< old rows, grouped by destination rank, ascending in each group
  std::vector<std::int64_t> leaving_to;  ///< (ranks) number of leaving rows
  std::vector<int> source;               ///< (new rows) as in kernels::PlaceMovedRows
};
[[nodiscard]] RowMigration find_row_migration(const domain::Ownership& before,
                                              const domain::Ownership& after, int rank,
                                              int rank_count);

/// Buffers of a migration, which a thread may allocate in advance.
struct MigrationBuffers {
  using Rows = Kokkos::View<kernels::MovedRow*, device::PinnedMemory>;

  MigrationBuffers() = default;
  explicit MigrationBuffers(const RowMigration& move);

  device::DeviceArray<int> leaving_row{"moving.leaving_row"}, source{"moving.source"};
  Rows leaving, came;
};

/// Collective. Migrates positions and velocities and puts the new rows in order; only rows that
/// change their rank leave the device. Overwrites the first saved copy.
template <class Precision>
void migrate_rows(const comm::Communicator& communicator, const RowMigration& move,
                  const MigrationBuffers& buffers, ResidueState<Precision>& state);

}  // namespace nfold::engine
