// A job for Slurm, PBS or LSF: what it asks for and computes, and its script.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::plan {

enum class Scheduler : std::uint8_t { slurm, pbs, lsf };
inline constexpr std::array all_schedulers{Scheduler::slurm, Scheduler::pbs, Scheduler::lsf};
/// "slurm", "pbs", "lsf".
[[nodiscard]] const char* scheduler_name(Scheduler scheduler);
[[nodiscard]] std::optional<Scheduler> scheduler_of(std::string_view name);

enum class JobCommand : std::uint8_t { run, batch };

struct JobScript {
  Scheduler scheduler = Scheduler::slurm;
  std::string name = "nfold";
  std::int64_t nodes = 1, ranks_per_node = 1, cores_per_rank = 1;
  bool uses_gpus = false;                  ///< a GPU for each of these ranks
  std::int64_t memory_per_node_bytes = 0;  ///< 0: the scheduler's default
  std::int64_t time_limit_seconds = 3600;
  std::int64_t warning_seconds = 120;      ///< before the limit, for the last checkpoint
  std::int64_t queue_limit_seconds = 0;    ///< the longest job that the queue takes; 0: not known
  std::string queue, account, constraint;  ///< empty: the scheduler's default
  std::string launcher;                    ///< srun or mpirun with options; empty: nfold's choice
  std::vector<std::string> setup;          ///< lines of bash before nfold starts: modules
  std::string nfold = "nfold", nfold_cpu;  ///< programs; nfold_cpu: of CPU ranks beside GPU ranks
  std::int64_t cpu_ranks_per_node = 0;     ///< of a batch on both; these have no GPU
  JobCommand command = JobCommand::run;
  std::string input, output;         ///< output: empty for nfold's default
  std::vector<std::string> options;  ///< further words of the command
  std::int64_t array_parts = 0;      ///< of a batch, a job for each; 0: one job
};

/// InputError with all that is wrong, by name.
[[nodiscard]] std::string text_of(const JobScript& script);

/// "sbatch FILE", in words of a shell.
[[nodiscard]] std::string submit_command(Scheduler scheduler, const std::string& file);

/// The text of src/plan/job_script.template.sh.
[[nodiscard]] std::string_view builtin_job_template();

}  // namespace nfold::plan
