// Rows of a checkpoint on their way from the ranks that own them to those that write them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "system/state.hpp"
#include "system/state_source.hpp"

namespace nfold::io::checkpoint_rows {

/// Consecutive ids: what one rank writes, however the residues are owned. Contiguous rows are one
/// request to the file system, random ones would be thousands.
struct Block {
  std::int64_t first = 0;
  std::vector<system::FixedPosition> position;
  std::vector<system::Velocity> velocity;
};

/// What is read, exchanged and written at a time, of each rank's block: large enough for the disk,
/// small beside a large system.
inline constexpr std::int64_t rows_of_piece = std::int64_t{1} << 19;

/// How the rows are shared out for writing: a block to each rank, in pieces that all ranks come to
/// one after the other.
class Layout {
 public:
  Layout(std::int64_t rows, int ranks, std::int64_t rows_at_a_time = rows_of_piece)
      : rows_(rows), ranks_(ranks), rows_at_a_time_(rows_at_a_time) {}

  /// Of the rank that has most; at least 1.
  [[nodiscard]] int pieces() const;
  /// The first row of a rank's piece; that of the piece behind its last is the end of its block.
  [[nodiscard]] std::int64_t first_row(int rank, int piece) const;
  [[nodiscard]] std::int64_t row_count(int rank, int piece) const {
    return first_row(rank, piece + 1) - first_row(rank, piece);
  }

 private:
  [[nodiscard]] std::int64_t first_of_block(int rank) const;

  std::int64_t rows_;
  int ranks_;
  std::int64_t rows_at_a_time_;
};

/// FileError unless these are some of the `rows` rows, by ascending id.
void require_rows(const std::vector<int>& mine, std::int64_t rows);

/// Of these rows those that are of any rank's piece.
[[nodiscard]] system::State rows_of(const system::StateSource& mine, const Layout& layout,
                                    int piece, int ranks);

/// An empty State with room for so many rows, for exchange().
[[nodiscard]] system::State room_for(std::int64_t count);

/// Collective, among several ranks: the rows of this rank's piece, in order of the ranks that sent
/// them. mine: as rows_of() gives them. `room` is what they are put into.
[[nodiscard]] system::State exchange(const comm::Communicator& communicator, const Layout& layout,
                                     int piece, const system::State& mine, system::State room);

/// In order of id. FileError where an id is there twice or not at all.
[[nodiscard]] Block in_order(system::State received, std::int64_t first, std::int64_t count);

}  // namespace nfold::io::checkpoint_rows
