// One checkpoint on its way to the disk, written while steps go on or waited for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>

#include "comm/communicator.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_metadata.hpp"
#include "io/checkpoint_rows.hpp"
#include "storage/posix_file.hpp"
#include "system/state.hpp"
#include "system/state_source.hpp"

namespace nfold::io {

/// Stages, each of two halves. In the first each rank works by itself, in a thread of its own: it
/// reads, sorts and writes bytes. In the second all ranks meet: they agree on whether that went
/// well, exchange rows, and rank 0 asks HDF5 for the layout. MPI and HDF5 thus stay in the thread
/// that uses them otherwise, and steps wait for the second halves alone. Rows are read and come to
/// the ranks that write them in pieces, a stage each: what a rank holds of them is a piece.
class CheckpointWriting {
 public:
  /// fetch: gives this rank's rows, once, in that thread, to be read until this is done or gone;
  /// what either throws is a failure of the writing. rows_of_piece: of each rank's block, at a
  /// time. Otherwise as write_checkpoint().
  CheckpointWriting(const comm::Communicator& communicator, std::filesystem::path path,
                    CheckpointHeader header, std::function<system::StateSource()> fetch,
                    std::int64_t rows_of_piece = checkpoint_rows::rows_of_piece);
  /// Gives up what is not done.
  ~CheckpointWriting();
  CheckpointWriting(const CheckpointWriting&) = delete;
  CheckpointWriting& operator=(const CheckpointWriting&) = delete;

  /// Whether go_on() would not wait for this rank.
  [[nodiscard]] bool is_ready() const;
  /// Collective: ends a stage and begins the next. True when the checkpoint stands. All ranks throw
  /// the same FileError together; then PATH and the previous one are as before.
  bool go_on();
  /// What this rank's thread has taken for the stages that have ended.
  [[nodiscard]] double busy_seconds() const { return busy_seconds_; }
  /// Collective: all that is left.
  void finish() {
    while (!go_on()) {
    }
  }

 private:
  using Half = void (CheckpointWriting::*)();
  struct Stage {
    Half alone, together;
  };
  static const Stage stages[];

  void take_rows();
  void sum_rows();
  void read_piece(int piece);
  void lay_out();
  void write_piece();
  void exchange_next_piece();
  void exchange_piece(int piece);
  void meet() {}
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
  int piece_ = 0;  // in work
  bool is_done_ = false;
  double busy_seconds_ = 0;

  system::StateSource mine_;                // rows as they are owned
  system::State leaving_;                   // of these, of the piece that is exchanged next
  system::State rows_;                      // of the piece, or room for them
  checkpoint_metadata::RowChecksums sums_;  // of this rank's own rows
  checkpoint_metadata::RowOffsets offsets_;
  std::optional<storage::PosixFile> file_;  // from when on this rank writes
  std::int64_t bytes_ = 0;
  std::uint64_t contents_ = 0;  // checksum of this rank's share of the file
  std::future<void> alone_;     // last: its thread uses the others
};

}  // namespace nfold::io
