// What a scheduler gave this job: nodes and tasks, from its environment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::launch {

struct NodeSlots {
  std::string host;
  int slots = 0;
  bool operator==(const NodeSlots&) const = default;
};

enum class Scheduler { none, slurm, pbs, lsf };

struct Allocation {
  Scheduler scheduler = Scheduler::none;
  std::vector<NodeSlots>
      nodes;      ///< in the scheduler's order; empty without one, or if it says none
  int tasks = 0;  ///< 0: the scheduler names no number
};

/// A variable's value, empty if it is not set; reads a file whole, empty if it cannot.
using Variables = std::function<std::string(const char* name)>;
using FileText = std::function<std::string(const std::string& path)>;

/// Slurm: SLURM_JOB_ID, SLURM_NTASKS, SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE, SLURM_GPUS_ON_NODE.
/// PBS: PBS_NODEFILE, a line a task. LSF: LSB_MCPU_HOSTS, "n1 4 n2 4".
[[nodiscard]] Allocation allocation_of(const Variables& variables, const FileText& file_text);

/// "n[01-03,7],login" -> n01 n02 n03 n7 login
[[nodiscard]] std::vector<std::string> expand_hosts(std::string_view list);
/// "4(x2),3" -> 4 4 3
[[nodiscard]] std::vector<int> expand_counts(std::string_view list);

}  // namespace nfold::launch
