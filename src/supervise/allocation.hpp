// Allocation of a scheduler: nodes and tasks, from its environment variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::supervise {

struct NodeSlots {
  std::string host;
  int slots = 0;
  bool operator==(const NodeSlots&) const = default;
};

enum class Scheduler { none, slurm, pbs, lsf };

struct Allocation {
  Scheduler scheduler = Scheduler::none;
  std::vector<NodeSlots> nodes;  ///< In the scheduler's order. Empty if unknown.
  int tasks = 0;                 ///< 0: unknown.
};

/// Sources of text: value of a variable, or content of a file. Empty if missing.
using Variables = std::function<std::string(const char* name)>;
using FileText = std::function<std::string(const std::string& path)>;

/// Reads the allocation. Slurm: SLURM_JOB_ID, SLURM_NTASKS, SLURM_JOB_NODELIST,
/// SLURM_TASKS_PER_NODE, SLURM_GPUS_ON_NODE. PBS: PBS_NODEFILE, one line a task. LSF:
/// LSB_MCPU_HOSTS, "n1 4 n2 4".
[[nodiscard]] Allocation read_allocation(const Variables& variables, const FileText& file_text);

/// Expands "n[01-03,7],login" to n01 n02 n03 n7 login.
[[nodiscard]] std::vector<std::string> expand_hosts(std::string_view list);
/// Expands "4(x2),3" to 4 4 3.
[[nodiscard]] std::vector<int> expand_counts(std::string_view list);

}  // namespace nfold::supervise
