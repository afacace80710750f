// Heartbeat of a batch: status files of each rank and of the whole batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "batch/folder.hpp"

namespace nfold::batch {

/// Thread that writes batch.rank-RANK.status every few seconds. `written` advances while the
/// process lives, `moved` while the rank's record (comm/rank_record.hpp) advances. A wait for other
/// ranks counts as progress, since this rank is not the stalled one. Costs the rank's main thread
/// nothing and needs no communication.
class Heartbeat {
 public:
  Heartbeat(const BatchFolder& folder, int rank, std::chrono::milliseconds pause);
  /// Removes the file. A remaining file marks a rank that did not end in good order.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Removes the files of ranks of a killed job. Rank 0 only, before other ranks write theirs.
  static void remove_stale_files(const BatchFolder& folder);

  /// Starts writing batch.status, again whenever a target ends. Rank 0 only. Throws FileError.
  void begin_batch_status(std::int64_t targets);
  /// Stops writing batch.status, so that the caller may. Does not throw, waits at most 1 s.
  void end_batch_status();

  /// Scope in which the rank works on a target. Scopes of interleaved targets overlap.
  class Work {
   public:
    Work(Heartbeat& heartbeat, const std::string& target);
    ~Work();
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    Heartbeat& heartbeat_;
    std::string target_;
  };
  /// Scope in which the rank draws or joins a target, which may take any time.
  class Draw {
   public:
    explicit Draw(Heartbeat& heartbeat);
    ~Draw();
    Draw(const Draw&) = delete;
    Draw& operator=(const Draw&) = delete;

   private:
    Heartbeat& heartbeat_;
  };

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nfold::batch
