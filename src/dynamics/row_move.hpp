// Rows that change their rank: which leave, where the others stand afterwards, and their journey.
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

/// Of one rank, from two maps alone.
struct RowMove {
  std::vector<int> leaving;              ///< old rows, rank by rank, ascending for each
  std::vector<std::int64_t> leaving_to;  ///< (ranks) how many of them
  std::vector<int> source;               ///< (new rows) as kernels::PlaceMovedRows has it
};
[[nodiscard]] RowMove row_move(const domain::Ownership& before, const domain::Ownership& after,
                               int rank, int rank_count);

/// Memory that such a journey takes, which a thread may have made beforehand.
struct RowJourney {
  using Rows = Kokkos::View<kernels::MovedRow*, device::PinnedMemory>;

  explicit RowJourney(const RowMove& move);
  static void plan(device::MemoryPlan& plan, std::int64_t owned) {
    plan.array<int>("moving.source", owned);
  }

  device::DeviceArray<int> leaving_row{"moving.leaving_row"}, source{"moving.source"};
  Rows leaving, came;
};

/// Collective: positions and velocities of the new rows, in their places; only those that change
/// their rank leave the device. The first saved copy is overwritten.
template <class Precision>
void move_rows(const comm::Communicator& communicator, const RowMove& move,
               const RowJourney& journey, ResidueState<Precision>& state);

}  // namespace nfold::dynamics
