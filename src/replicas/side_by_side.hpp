// Several works of one thread: while one waits for its replicas to be advanced, the others go on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <list>
#include <memory>

namespace nfold::replicas {

/// Works that would each leave most of the processor idle. Each has a stack of its own, and one of
/// them runs at a time, so that they need no locks; they change where one has resident replicas to
/// advance (ReplicaSet) or something aside. On a GPU each work has a stream of its own, and kernels
/// of all are there at once; on a CPU what all works wait for is one loop over the threads. Bits do
/// not depend on it.
class SideBySide {
 public:
  SideBySide();
  /// Works that have not ended are left as they are, once what they have aside is done: neither do
  /// they go on nor are their objects destroyed. That is for a process that is about to end.
  ~SideBySide();
  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;

  /// Starts a work, and returns when it waits for the first time or has ended. at_border is called
  /// whenever control goes to the work or comes back from it. Throws what the work throws.
  void begin(std::function<void()> work, std::function<void()> at_border = {});
  /// Until a work was able to go on and waits again or has ended; throws what it throws. Nothing
  /// without works.
  void go_on();
  [[nodiscard]] int works() const;

  struct Work;

 private:
  void resume(Work& work);

  std::list<std::unique_ptr<Work>> works_;
};

/// Within a work, whether there was another one at any time since it began: what it took then says
/// little of itself.
[[nodiscard]] bool has_had_company();

/// Part of the processor that a launch of so many resident replicas keeps busy, at most 1.
[[nodiscard]] double share_of_processor(int residues, int replicas);

/// Within a work, other works go on until what was given to its stream is done; else nothing: what
/// reads results waits by itself. Of a GPU.
void let_others_go_on();

/// Within a work, calls part() on a thread of its own while other works go on; else at once. Throws
/// what it throws. It may use nothing that is not safe on several threads: no MPI, HDF5 or Kokkos.
void aside(const std::function<void()>& part);

/// item(k) for each k < items, on the threads of a CPU: within a work in one loop with what others
/// wait for. Not there in a build for GPUs.
void loop_beside_others(int items, const std::function<void(int)>& item);

}  // namespace nfold::replicas
