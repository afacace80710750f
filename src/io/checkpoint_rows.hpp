// Rows of a checkpoint on their way from the ranks that own them to those that write them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "system/state.hpp"

namespace nfold::io::checkpoint_rows {

/// Consecutive ids: what one rank writes, however the residues are owned. Contiguous rows are one
/// request to the file system, random ones would be thousands.
struct Block {
  std::int64_t first = 0;
  std::vector<system::FixedPosition> position;
  std::vector<system::Velocity> velocity;
};

/// Of `rank`; that of the rank behind the last is `rows`.
[[nodiscard]] std::int64_t first_row(std::int64_t rows, int rank, int ranks);

/// FileError unless these are some of the `rows` rows, by ascending id.
void require_rows(const system::State& mine, std::int64_t rows);

/// An empty State with room for a rank's block, for exchange().
[[nodiscard]] system::State room_for_block(std::int64_t rows, int rank, int ranks);

/// Collective: the rows of this rank's block, in order of the ranks that sent them.
[[nodiscard]] system::State exchange(const comm::Communicator& communicator, std::int64_t rows,
                                     system::State mine, system::State room);

/// In order of id. FileError where an id is there twice or not at all.
[[nodiscard]] Block in_order(system::State received, std::int64_t first, std::int64_t count);

}  // namespace nfold::io::checkpoint_rows
