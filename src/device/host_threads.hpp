// How many threads of the host a process takes, and which processors it keeps to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "hardware/processors.hpp"

namespace nfold::device {

/// What OMP_NUM_THREADS says; else this process's share of the processors among the ranks of its
/// node. Collective.
[[nodiscard]] int host_threads(const comm::Communicator& ranks);

/// What came of binding a rank to processors.
struct RankBinding {
  int threads = 1;                    ///< as host_threads()
  hardware::ProcessorSet processors;  ///< that it keeps to now; none: nothing was changed
  std::string note;                   ///< for the log; empty if there is nothing to say
};
/// Collective. Binds this process, and the threads that it starts from now on, to its share of what
/// its node's ranks may use, beside its GPU where `near` is any: hardware/binding.hpp. keep: leaves
/// what there is.
[[nodiscard]] RankBinding bind_rank(const comm::Communicator& ranks,
                                    const hardware::ProcessorSet& near, bool keep);

/// Threads of a process, and a warning where it asked for others or too many.
struct TakenThreads {
  int threads = 1;
  std::string warning;
};
/// Kokkos has room for 512 threads. More threads than processors are taken, but warned of: at each
/// loop's end threads that run wait for one that does not. processors: 0 where none is known.
[[nodiscard]] TakenThreads taken_threads(int asked, int processors);

/// What a process may take for what it does alone while others of its node wait for it: the threads
/// that its ComputeEnvironment was given, or its share of the processors, times so many.
[[nodiscard]] int host_threads_alone();
/// Of this process, in place of its share; from now on.
void set_threads_of_process(int threads);
/// Of this node, with this process; from now on.
void set_processes_that_wait(int processes);

/// While it lives, this thread, and those that it starts, may run where any rank of its node may:
/// for work that a process does alone with host_threads_alone() threads.
class ProcessorsOfAllRanks {
 public:
  ProcessorsOfAllRanks();
  ~ProcessorsOfAllRanks();
  ProcessorsOfAllRanks(const ProcessorsOfAllRanks&) = delete;
  ProcessorsOfAllRanks& operator=(const ProcessorsOfAllRanks&) = delete;

 private:
  hardware::ProcessorSet before_;
};

}  // namespace nfold::device
