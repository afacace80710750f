// Transfer of checkpoint rows from the ranks that own them to the ranks that write them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "system/state.hpp"
#include "system/state_source.hpp"

namespace nfold::io::checkpoint_rows {

/// Rows of consecutive ids that one rank writes, whatever the partition. Contiguous rows are one
/// request to the file system; scattered rows would be thousands.
struct Block {
  std::int64_t first = 0;
  std::vector<system::FixedPosition> position;
  std::vector<system::Velocity> velocity;
};

/// Rows of each rank's block that are read, exchanged and written at a time: large enough for the
/// disk, small compared with a large system.
inline constexpr std::int64_t piece_rows = std::int64_t{1} << 19;

/// Distribution of rows for writing: one block per rank, divided into pieces that all ranks process
/// one after another.
class Layout {
 public:
  Layout(std::int64_t rows, int ranks, std::int64_t rows_at_a_time = piece_rows)
      : rows_(rows), ranks_(ranks), rows_at_a_time_(rows_at_a_time) {}

  /// Returns the number of pieces of the largest block; at least 1.
  [[nodiscard]] int pieces() const;
  /// Returns the first row of a rank's piece. The first row behind the last piece is the end of the
  /// block.
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

/// Throws FileError unless these are some of the `rows` rows, by ascending id.
void require_rows(const std::vector<int>& mine, std::int64_t rows);

/// Returns the rows of `mine` that belong to this piece of any rank.
[[nodiscard]] system::State select_rows(const system::StateSource& mine, const Layout& layout,
                                        int piece, int ranks);

/// Returns an empty State with capacity for so many rows, for exchange().
[[nodiscard]] system::State make_row_buffer(std::int64_t count);

/// Collective, for several ranks. Returns the rows of this rank's piece, in the order of the ranks
/// that sent them. `mine` is the result of select_rows(), `buffer` the one that is filled and
/// returned.
[[nodiscard]] system::State exchange(const comm::Communicator& communicator, const Layout& layout,
                                     int piece, const system::State& mine, system::State buffer);

/// Sorts rows by id. Throws FileError if an id is missing or occurs twice.
[[nodiscard]] Block sort_rows(system::State received, std::int64_t first, std::int64_t count);

}  // namespace nfold::io::checkpoint_rows
