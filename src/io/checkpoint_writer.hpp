// Asynchronous writing of one checkpoint while steps continue.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>

#include "comm/communicator.hpp"
#include "core/storage/posix_file.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_metadata.hpp"
#include "io/checkpoint_rows.hpp"
#include "system/state.hpp"
#include "system/state_source.hpp"

namespace nfold::io {

/// Writer of one checkpoint. One rank reserves the space of PATH.tmp, all ranks write to it, file
/// and folder are fsynced, PATH is renamed to its previous name and PATH.tmp to PATH.
///
/// It works in stages of two halves. In the first half each rank works by itself in a separate
/// thread: it reads, sorts and writes bytes. The second half is collective: the ranks agree on
/// success and exchange rows, and rank 0 writes the layout with HDF5. MPI and HDF5 therefore stay
/// in the thread that otherwise uses them, and steps wait for the second halves only. Rows are read
/// and exchanged in pieces, a stage each, so a rank holds only a piece of them.
class CheckpointWriter {
 public:
  /// Starts writing. `fetch` is called once, in the separate thread, and returns this rank's rows,
  /// which remain readable until this object is done or destroyed; those of all ranks are 0 ..
  /// residue_count - 1. Exceptions of either are failures of the writing. `piece_rows`: rows of
  /// each rank's block at a time.
  CheckpointWriter(const comm::Communicator& communicator, std::filesystem::path path,
                   CheckpointHeader header, std::function<system::StateSource()> fetch,
                   std::int64_t piece_rows = checkpoint_rows::piece_rows);
  /// Abandons an unfinished checkpoint.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// True if advance() would not wait for this rank.
  [[nodiscard]] bool is_ready() const;
  /// Collective. Ends a stage and begins the next. Returns true if the checkpoint is complete. All
  /// ranks throw the same FileError, and then PATH and the previous checkpoint are unchanged.
  bool advance();
  /// Seconds that this rank's thread spent in completed stages.
  [[nodiscard]] double busy_seconds() const { return busy_seconds_; }
  /// Collective. Completes all remaining stages.
  void finish() {
    while (!advance()) {
    }
  }

 private:
  using Half = void (CheckpointWriter::*)();
  struct Stage {
    Half local_half, collective_half;
  };
  static const Stage stages[];

  void take_rows();
  void sum_rows();
  void read_piece(int piece);
  void lay_out();
  void write_piece();
  void exchange_next_piece();
  void exchange_piece(int piece);
  void no_op() {}
  void sum_contents();
  void agree_on_sum();
  void seal_and_rename();
  void begin_stage();
  void give_up() noexcept;

  comm::Communicator communicator_;
  std::filesystem::path path_, temporary_;
  CheckpointHeader header_;
  std::function<system::StateSource()> fetch_;
  checkpoint_rows::Layout layout_;
  std::size_t stage_ = 0;
  int piece_ = 0;  // current piece
  bool is_done_ = false;
  double busy_seconds_ = 0;

  system::StateSource mine_;                // rows that this rank owns
  system::State leaving_;                   // rows of mine_ that belong to the piece exchanged next
  system::State rows_;                      // rows of the current piece, or the buffer for them
  checkpoint_metadata::RowChecksums sums_;  // checksums of mine_
  checkpoint_metadata::RowOffsets offsets_;
  std::optional<storage::PosixFile> file_;  // open while this rank writes
  std::int64_t bytes_ = 0;
  std::uint64_t contents_ = 0;    // checksum of this rank's share of the file
  std::future<void> local_half_;  // last member: its thread uses the others
};

}  // namespace nfold::io
