// Thread count of a process and the processors that it is bound to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "device/hardware/processors.hpp"

namespace nfold::device {

/// Returns OMP_NUM_THREADS; if unset, this process's share of the processors among the ranks of its
/// node. Collective.
[[nodiscard]] int host_threads(const comm::Communicator& ranks);

/// Result of binding a rank to processors.
struct RankBinding {
  int threads = 1;                    ///< result of host_threads()
  hardware::ProcessorSet processors;  ///< bound to now; empty: unchanged
  std::string note;                   ///< for the log; may be empty
};
/// Binds this process, and the threads that it starts from now on, to its share of the processors
/// of its node's ranks, near its GPU if `near` is not empty (hardware/binding.hpp). keep: leaves
/// the binding as it is. Collective.
[[nodiscard]] RankBinding bind_rank(const comm::Communicator& ranks,
                                    const hardware::ProcessorSet& near, bool keep);

/// Thread count of a process, and a warning if the request was too large or another count is used.
struct ThreadChoice {
  int threads = 1;
  std::string warning;
};
/// Returns the thread count for a request. Kokkos supports 512 threads. More threads than
/// processors are used with a warning: at the end of each loop running threads wait for one that is
/// not scheduled. processors: 0 if unknown.
[[nodiscard]] ThreadChoice choose_threads(int asked, int processors);

/// Returns the threads for work that a process does alone while other processes of its node wait:
/// the threads of its ComputeEnvironment, or its share of the processors, times the number of
/// waiting processes including itself.
[[nodiscard]] int node_thread_count();
/// Sets the threads of this process from now on, in place of its share.
void set_threads_of_process(int threads);
/// Sets the processes of this node that wait, including this one, from now on.
void set_waiting_processes(int processes);

/// Lets this thread, and those that it starts, run on the processors of all ranks of its node for
/// its lifetime: for work that a process does alone with node_thread_count() threads.
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
