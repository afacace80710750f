// Cooperative tasks on one thread: while one waits for its replicas, others go on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <list>
#include <memory>

namespace nfold::replicas {

/// Scheduler of tasks that would each leave most of the processor idle. Each work has its own
/// stack, and one runs at a time, so that they need no locks; control changes if one advances
/// resident replicas (ReplicaSet) or uses a side thread. On a GPU each work has its own stream, and
/// kernels of all run concurrently; on a CPU one loop over the threads computes what all tasks wait
/// for. Bits do not depend on it.
class SideBySide {
 public:
  SideBySide();
  /// Waits for side threads, and abandons tasks that have not ended: their objects are not
  /// destroyed. Only for a process that is about to end.
  ~SideBySide();
  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;

  /// Starts a work, and returns when it waits for the first time or has ended. on_switch is called
  /// whenever control enters or leaves the work. Throws what the work throws.
  void begin(std::function<void()> work, std::function<void()> on_switch = {});
  /// Returns after at least one work could go on and waits again or has ended; throws what it
  /// throws. Does nothing without tasks.
  void go_on();
  [[nodiscard]] int task_count() const;

  struct Work;

 private:
  void resume(Work& work);

  std::list<std::unique_ptr<Work>> tasks_;
};

/// True within a work if another one existed at any time since it began: its wall time is not its
/// own cost.
[[nodiscard]] bool ran_beside_others();

/// Fraction of the processor that a launch of so many resident replicas keeps busy, at most 1.
[[nodiscard]] double share_of_processor(int residues, int replicas);

/// Within a work on a GPU: lets other tasks go on until the work's stream is idle. Otherwise does
/// nothing; readers of results wait by themselves.
void yield_to_others();

/// Within a work, runs part() on a thread of its own while other tasks go on; otherwise calls it at
/// once. Throws what it throws. part() may use only thread-safe libraries: no MPI, HDF5 or Kokkos.
void run_on_side_thread(const std::function<void()>& part);

/// Calls item(k) for each k < items, on the threads of a CPU: within a work in one loop with other
/// tasks' items. Not in builds for GPUs.
void loop_concurrently(int items, const std::function<void(int)>& item);

}  // namespace nfold::replicas
