// Job for Slurm, PBS or LSF: its resources, its command and its script.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::estimate {

enum class Scheduler : std::uint8_t { slurm, pbs, lsf };
inline constexpr std::array all_schedulers{Scheduler::slurm, Scheduler::pbs, Scheduler::lsf};
/// Returns "slurm", "pbs" or "lsf".
[[nodiscard]] const char* scheduler_name(Scheduler scheduler);
[[nodiscard]] std::optional<Scheduler> scheduler_of(std::string_view name);

enum class JobCommand : std::uint8_t { run, batch };

struct JobScript {
  Scheduler scheduler = Scheduler::slurm;
  std::string name = "nfold";
  std::int64_t nodes = 1, ranks_per_node = 1, cores_per_rank = 1;
  bool uses_gpus = false;                  ///< one GPU for each of ranks_per_node
  std::int64_t memory_per_node_bytes = 0;  ///< 0: the scheduler's default
  std::int64_t time_limit_seconds = 3600;
  std::int64_t warning_seconds = 120;      ///< before the limit, for the last checkpoint
  std::int64_t queue_limit_seconds = 0;    ///< longest job of the queue; 0: unknown
  std::string queue, account, constraint;  ///< empty: the scheduler's default
  std::string launcher;                    ///< srun or mpirun with options; empty: nfold's choice
  std::vector<std::string> setup;          ///< bash lines run before nfold, such as module loads
  std::string nfold = "nfold", nfold_cpu;  ///< programs; nfold_cpu: for CPU ranks beside GPU ranks
  std::int64_t cpu_ranks_per_node = 0;     ///< CPU ranks of a batch on both backends
  JobCommand command = JobCommand::run;
  std::string input, output;         ///< output: empty for nfold's default
  std::vector<std::string> options;  ///< further arguments of the command
  std::int64_t array_parts = 0;      ///< parts of a batch, one array job each; 0: one job
};

/// Returns the script. Throws InputError that lists every invalid member by name.
[[nodiscard]] std::string format_text(const JobScript& script);

/// Returns the shell command that submits a file, such as "sbatch FILE".
[[nodiscard]] std::string submit_command(Scheduler scheduler, const std::string& file);

/// Returns one bash word that expands to `word`.
[[nodiscard]] std::string quote_bash(const std::string& word);

using TemplateValues = std::map<std::string, std::string>;
/// Replaces each {{name}} by its value. Omits lines in which a value is empty.
[[nodiscard]] std::string fill_lines(std::string_view text, const TemplateValues& values);

/// Returns the text of src/estimate/job_scripts/NAME.sh.
[[nodiscard]] std::string_view builtin_job_template(std::string_view name);

}  // namespace nfold::estimate
