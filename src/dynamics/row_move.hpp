// Rows that change their rank: which leave, where the others stand afterwards, and their journey.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
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

/// Positions and velocities of these rows, which alone leave the device.
template <class Precision>
[[nodiscard]] std::vector<kernels::MovedRow> packed_rows(const std::vector<int>& rows,
                                                         const ResidueState<Precision>& state);

/// Collective: positions and velocities of the new rows, in their places; only those that change
/// their rank leave the device. The first saved copy is overwritten.
template <class Precision>
void move_rows(const comm::Communicator& communicator, const RowMove& move,
               ResidueState<Precision>& state);

}  // namespace nfold::dynamics
