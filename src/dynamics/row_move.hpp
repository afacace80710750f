// Migration of rows: leaving rows, new row order, and messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "device/device_array.hpp"
#include "device/staged_array.hpp"
#include "domain/partition.hpp"
#include "dynamics/residue_state.hpp"
#include "kernels/loops/moved_rows.hpp"

namespace nfold::dynamics {

/// Row migration of one rank, computed from two partitions.
struct RowMove {
  std::vector<int> leaving;  ///< old rows, grouped by destination rank, ascending in each group
  std::vector<std::int64_t> leaving_to;  ///< (ranks) number of leaving rows
  std::vector<int> source;               ///< (new rows) as in kernels::PlaceMovedRows
};
[[nodiscard]] RowMove row_move(const domain::Ownership& before, const domain::Ownership& after,
                               int rank, int rank_count);

/// Buffers of a migration, which a thread may allocate in advance.
struct RowJourney {
  using Rows = Kokkos::View<kernels::MovedRow*, device::PinnedMemory>;

  explicit RowJourney(const RowMove& move);
  static void plan(device::MemoryPlan& plan, std::int64_t owned) {
    plan.array<int>("moving.source", owned);
  }

  device::DeviceArray<int> leaving_row{"moving.leaving_row"}, source{"moving.source"};
  Rows leaving, came;
};

/// Collective. Migrates positions and velocities and puts the new rows in order; only rows that
/// change their rank leave the device. Overwrites the first saved copy.
template <class Precision>
void move_rows(const comm::Communicator& communicator, const RowMove& move,
               const RowJourney& journey, ResidueState<Precision>& state);

}  // namespace nfold::dynamics
