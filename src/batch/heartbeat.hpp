// What tells from outside that each rank of a batch lives and comes further, and how far all are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "batch/folder.hpp"

namespace nfold::batch {

/// In its life a thread of this rank writes batch.rank-RANK.status every few seconds. `written`
/// moves on while the process lives, `moved` with the rank's work, as its record tells (comm):
/// where a wait for other ranks counts as work that goes on, for it is not this rank that stands
/// still. The rank's own thread does nothing for it, and no other rank is asked.
class Heartbeat {
 public:
  Heartbeat(const BatchFolder& folder, int rank, std::chrono::milliseconds pause);
  /// The file goes too: whoever has one that says "running" has not ended in good order.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Removes what ranks of a job that was killed have left. On one rank, before others have theirs.
  static void forget_others(const BatchFolder& folder);

  /// For one rank: batch.status from now on, anew when a target has ended. storage::FileError.
  void begin_whole(std::int64_t targets);
  /// Another writes batch.status from now on. Does not throw, and waits for a second at most.
  void end_whole();

  /// In its life the rank works on a target. Several at a time are worked on in turn.
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
  /// In its life the rank looks for more work, which may take any time.
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
