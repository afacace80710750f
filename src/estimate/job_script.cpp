// Scheduler dialects and the filling of the job script template.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/job_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "core/document/input_error.hpp"

namespace nfold::estimate {
namespace {

using TemplateValues = std::map<std::string, std::string, std::less<>>;

/// Dialect of a scheduler. In `directives`, a line, or a part between < and >, is omitted if a
/// value in it is empty.
struct Dialect {
  Scheduler scheduler;
  const char *name, *title, *submit;
  const char* directives;
  const char* at_start;     ///< commands at the start, such as cd to the folder of submission
  const char* environment;  ///< variables beside OMP_NUM_THREADS
  const char *job_id, *array_index;
  const char* queue_again;
  bool has_warning, can_exclude_nodes;
};

constexpr std::array dialects{
    Dialect{
        Scheduler::slurm, "slurm", "Slurm", "sbatch ",
        R"(#SBATCH --job-name={{name}}
#SBATCH --nodes={{nodes}}
#SBATCH --ntasks-per-node={{all_ranks_per_node}}
#SBATCH --cpus-per-task={{cores_per_rank}}
<#SBATCH --gpus-per-node={{gpus_per_node}}>
<#SBATCH --mem={{memory_mib}}M>
#SBATCH --time={{days}}-{{hours}}:{{minutes}}:{{seconds}}
<#SBATCH --partition={{queue}}>
<#SBATCH --account={{account}}>
<#SBATCH --constraint="{{constraint}}">
<#SBATCH --array=1-{{array_parts}}>
#SBATCH --signal=B:USR1@{{warning_seconds}}
#SBATCH --requeue
#SBATCH --open-mode=append)",
        "", "export SRUN_CPUS_PER_TASK=$OMP_NUM_THREADS", "$SLURM_JOB_ID",
        "${SLURM_ARRAY_TASK_ID:-}",
        R"(# Slurm excludes nodes from waiting jobs only. It ends this script by TERM when it queues the job, and then gives it
# some seconds. After the loss of a node it may take some until it lets the job be changed.
queue_again() {
  trap '' TERM
  scontrol requeue "$job" || exit "$code"
  [ -s "$sick_nodes" ] || exit 0
  local nodes began=$SECONDS
  nodes=$(paste -sd, "$sick_nodes")
  echo "job $job leaves out: $nodes"
  until scontrol update JobId="$job" ExcNodeList="$nodes" || [ "$SECONDS" -gt $((began + 60)) ]; do sleep 0.2; done
  exit 0
})",
        true, true},
    Dialect{
        Scheduler::pbs, "pbs", "PBS", "qsub ",
        R"(#PBS -N {{name}}
#PBS -S /bin/bash
#PBS -l select={{nodes}}:ncpus={{cores_per_node}}:mpiprocs={{all_ranks_per_node}}:ompthreads={{cores_per_rank}}<:ngpus={{gpus_per_node}}><:mem={{memory_mib}}mb><:{{constraint}}>
<#PBS -l place={{place}}>
#PBS -l walltime={{all_hours}}:{{minutes}}:{{seconds}}
<#PBS -q {{queue}}>
<#PBS -A {{account}}>
<#PBS -J 1-{{array_parts}}>
#PBS -r y
#PBS -j oe)",
        R"(cd "$PBS_O_WORKDIR" || exit 1)", "", "${NFOLD_JOB:-${PBS_JOBID%%.*}}",
        "${NFOLD_PART:-${PBS_ARRAY_INDEX:-}}",
        R"(# Only operators may use qrerun: the script submits itself again, for this part alone.
queue_again() {
  sed '/^#PBS -J /d' "$0" | qsub -v "NFOLD_JOB=$job,NFOLD_PART=${part:-}" || exit "$code"
  exit 0
})",
        false, false},
    Dialect{Scheduler::lsf, "lsf", "LSF", "bsub < ",
            R"(#BSUB -J "{{name}}<[1-{{array_parts}}]>"
#BSUB -n {{all_ranks}}
#BSUB -R "span[ptile={{all_ranks_per_node}}]"
#BSUB -R "affinity[core({{cores_per_rank}})]"
<#BSUB -R "select[{{constraint}}]">
<#BSUB -R "rusage[mem={{memory_mib}}MB]">
<#BSUB -gpu "num={{gpus_per_node}}">
#BSUB -W {{limit_minutes}}
<#BSUB -q {{queue}}>
<#BSUB -P {{account}}>
#BSUB -wa USR1
#BSUB -wt {{warning_minutes}}
#BSUB -Q "75"
#BSUB -r
#BSUB -o {{name}}.%J.%I.log)",
            "", "", "$LSB_JOBID.${LSB_JOBINDEX:-0}", "${LSB_JOBINDEX:-}",
            R"(# By -Q, LSF queues a job again that ends with code 75.
queue_again() { exit 75; })",
            true, false},
};

const Dialect& dialect_of(Scheduler scheduler) {
  return *std::find_if(dialects.begin(), dialects.end(),
                       [&](const Dialect& one) { return one.scheduler == scheduler; });
}

/// Returns one bash word that expands to `word`.
std::string quote_bash(const std::string& word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,@%+-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Replaces each {{name}} by its value. has_empty: set if a value was empty.
std::string filled(std::string_view text, const TemplateValues& values, bool* has_empty = nullptr) {
  std::string result;
  for (std::size_t at = 0;;) {
    const auto open = text.find("{{", at);
    result += text.substr(at, open - at);
    if (open == std::string_view::npos) return result;
    const auto close = text.find("}}", open);
    const auto name = text.substr(open + 2, close - open - 2);
    const auto value = values.find(name);
    if (value == values.end()) throw std::logic_error("job script: no value " + std::string(name));
    if (has_empty != nullptr && value->second.empty()) *has_empty = true;
    result += value->second;
    at = close + 2;
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string without_empty_parts(std::string_view line, const TemplateValues& values) {
  std::string result;
  while (true) {
    const auto open = line.find('<');
    result += filled(line.substr(0, open), values);
    if (open == std::string_view::npos) return result;
    const auto close = line.find('>', open);
    bool has_empty = false;
    const auto part = filled(line.substr(open + 1, close - open - 1), values, &has_empty);
    if (!has_empty) result += part;
    line.remove_prefix(close + 1);
  }
}

std::string directives_of(const Dialect& dialect, const TemplateValues& values) {
  std::string text;
  for (const auto line : lines_of(dialect.directives)) {
    const auto one = without_empty_parts(line, values);
    if (!one.empty()) text += (text.empty() ? "" : "\n") + one;
  }
  return text;
}

std::string number_or_nothing(std::int64_t number) {
  return number > 0 ? std::to_string(number) : std::string();
}

std::int64_t rounded_up(std::int64_t number, std::int64_t unit) {
  return (number + unit - 1) / unit;
}

class Checker {
 public:
  void refuse(const std::string& found, const std::string& expected) {
    document::InputProblem problem;
    problem.position.file = "job script";
    problem.problem = found;
    problem.remedy = expected;
    problems_.push_back(std::move(problem));
  }
  void at_least(const char* name, std::int64_t found, std::int64_t least) {
    if (found < least) {
      refuse(fmt::format("{} = {}", name, found), fmt::format("must be at least {}", least));
    }
  }
  /// Rejects characters that need quotes: directives know none.
  void plain(const char* name, const std::string& found, std::string_view more = "") {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    const auto is_bad = [&](char c) {
      return letters.find(c) == std::string_view::npos && more.find(c) == std::string_view::npos;
    };
    if (!std::any_of(found.begin(), found.end(), is_bad)) return;
    refuse(fmt::format("{} = '{}'", name, found),
           fmt::format("may have letters, digits and _.-{} only", more));
  }
  void one_line(const char* name, const std::string& found) {
    if (found.find_first_of(std::string_view("\n\r\0", 3)) == std::string::npos) return;
    refuse(fmt::format("{} has a line break or a zero byte", name), "must be one line");
  }
  void end() {
    if (!problems_.empty()) throw document::InputError(std::move(problems_));
  }

 private:
  std::vector<document::InputProblem> problems_;
};

void check_time(const JobScript& job, Checker& checker) {
  constexpr std::int64_t longest_warning = 65535;  // Slurm's limit
  checker.at_least("time_limit_seconds", job.time_limit_seconds, 60);
  checker.at_least("warning_seconds", job.warning_seconds, 1);
  if (job.warning_seconds >= job.time_limit_seconds || job.warning_seconds > longest_warning) {
    checker.refuse(fmt::format("warning_seconds = {}", job.warning_seconds),
                   fmt::format("must be less than time_limit_seconds, {}, and at most {}",
                               job.time_limit_seconds, longest_warning));
  }
  if (job.queue_limit_seconds > 0 && job.time_limit_seconds > job.queue_limit_seconds) {
    checker.refuse(fmt::format("time_limit_seconds = {}", job.time_limit_seconds),
                   fmt::format("must be at most {}, the limit of {}; nfold goes on in the next job",
                               job.queue_limit_seconds,
                               job.queue.empty() ? "the queue" : "queue " + job.queue));
  }
}

void check_programs(const JobScript& job, Checker& checker) {
  if (job.input.empty()) checker.refuse("input is empty", "must name the input or list");
  if (job.nfold.empty()) checker.refuse("nfold is empty", "must name the program");
  for (const auto& [name, text] : {std::pair{"input", &job.input},
                                   {"output", &job.output},
                                   {"launcher", &job.launcher},
                                   {"nfold", &job.nfold},
                                   {"nfold_cpu", &job.nfold_cpu}}) {
    checker.one_line(name, *text);
  }
  for (const auto& line : job.setup) checker.one_line("setup", line);
  for (const auto& word : job.options) checker.one_line("options", word);
  if (job.launcher.starts_with("srun") && job.scheduler != Scheduler::slurm) {
    checker.refuse("launcher = '" + job.launcher + "'", "srun is Slurm's; must be mpirun here");
  }
  const bool is_batch = job.command == JobCommand::batch;
  if (!job.nfold_cpu.empty() && (!is_batch || job.cpu_ranks_per_node < 1)) {
    checker.refuse("nfold_cpu = '" + job.nfold_cpu + "'",
                   "is for a batch, with cpu_ranks_per_node of at least 1");
  }
  if (job.nfold_cpu.empty() && job.cpu_ranks_per_node != 0) {
    checker.refuse(fmt::format("cpu_ranks_per_node = {}", job.cpu_ranks_per_node),
                   "needs nfold_cpu, a build for CPUs");
  }
  if (job.array_parts != 0 && (!is_batch || job.array_parts < 2)) {
    checker.refuse(fmt::format("array_parts = {}", job.array_parts),
                   "must be 0, or at least 2 parts of a batch");
  }
}

void check(const JobScript& job) {
  constexpr std::int64_t mebibyte = 1 << 20;
  Checker checker;
  if (job.name.empty()) checker.refuse("name is empty", "must name the job");
  checker.plain("name", job.name);
  checker.plain("queue", job.queue, "@");
  checker.plain("account", job.account, "@:/");
  checker.plain("constraint", job.constraint, "&|[]()*=:,!<>");
  checker.at_least("nodes", job.nodes, 1);
  checker.at_least("ranks_per_node", job.ranks_per_node, 1);
  checker.at_least("cores_per_rank", job.cores_per_rank, 1);
  if (job.memory_per_node_bytes != 0) {
    checker.at_least("memory_per_node_bytes", job.memory_per_node_bytes, mebibyte);
  }
  check_time(job, checker);
  check_programs(job, checker);
  checker.end();
}

/// Returns the command that starts nfold in the background.
std::string start_of(const JobScript& job, const Dialect& dialect) {
  if (job.nfold_cpu.empty()) {
    return fmt::format(
        "# nfold launch starts the ranks by srun or mpirun, and goes on from the last checkpoint "
        "when one fails.\n\"$nfold\" launch{}{} \"${{work[@]}}\" &",
        job.launcher.empty() ? "" : " --launcher " + quote_bash(job.launcher),
        dialect.can_exclude_nodes ? R"( --sick-nodes "$sick_nodes")" : "");
  }
  return fmt::format(
      R"(# By its place on the node a rank is of one build or the other; nobody watches these ranks.
choose='[ "${{OMPI_COMM_WORLD_LOCAL_RANK:-${{SLURM_LOCALID:-0}}}}" -lt "$1" ] && program=$2 || program=$3
  shift 3; exec "$program" "$@"'
{} bash -c "$choose" choose {} "$nfold" "$nfold_cpu" "${{work[@]}}" &)",
      job.launcher.empty() ? "mpirun --bind-to none" : job.launcher, job.ranks_per_node);
}

/// Returns the arguments of nfold run or batch.
std::string work_of(const JobScript& job, const Dialect& dialect) {
  std::string text =
      fmt::format("{} {} --resume auto --quiet", job.command == JobCommand::run ? "run" : "batch",
                  quote_bash(job.input));
  if (!job.output.empty()) text += " --output " + quote_bash(job.output);
  for (const auto& word : job.options) text += " " + quote_bash(word);
  if (job.array_parts > 0) text += fmt::format(R"( --part "$part/{}")", job.array_parts);
  if (!dialect.has_warning) {
    text += fmt::format(" --time-limit {}s", job.time_limit_seconds - job.warning_seconds);
  }
  return text;
}

TemplateValues values_of(const JobScript& job, const Dialect& dialect) {
  constexpr std::int64_t minute = 60, hour = 3600, day = 86400, mebibyte = 1 << 20;
  const auto limit = job.time_limit_seconds;
  const auto all_ranks_per_node = job.ranks_per_node + job.cpu_ranks_per_node;
  return {
      {"scheduler", dialect.title},
      {"name", job.name},
      {"nodes", std::to_string(job.nodes)},
      {"all_ranks_per_node", std::to_string(all_ranks_per_node)},
      {"all_ranks", std::to_string(job.nodes * all_ranks_per_node)},
      {"cores_per_rank", std::to_string(job.cores_per_rank)},
      {"cores_per_node", std::to_string(all_ranks_per_node * job.cores_per_rank)},
      {"gpus_per_node", job.uses_gpus ? std::to_string(job.ranks_per_node) : ""},
      {"memory_mib", number_or_nothing(rounded_up(job.memory_per_node_bytes, mebibyte))},
      {"place", job.nodes > 1 ? "scatter" : ""},
      {"days", std::to_string(limit / day)},
      {"hours", fmt::format("{:02}", limit % day / hour)},
      {"all_hours", fmt::format("{:02}", limit / hour)},
      {"minutes", fmt::format("{:02}", limit % hour / minute)},
      {"seconds", fmt::format("{:02}", limit % minute)},
      {"limit_minutes", std::to_string(rounded_up(limit, minute))},
      {"warning_minutes", std::to_string(rounded_up(job.warning_seconds, minute))},
      {"warning_seconds", std::to_string(job.warning_seconds)},
      {"queue", job.queue},
      {"account", job.account},
      {"constraint", job.constraint},
      {"array_parts", number_or_nothing(job.array_parts)},
      {"at_start", dialect.at_start},
      {"environment", dialect.environment},
      {"setup", fmt::format("{}", fmt::join(job.setup, "\n"))},
      {"nfold", quote_bash(job.nfold)},
      {"nfold_cpu", job.nfold_cpu.empty() ? "" : quote_bash(job.nfold_cpu)},
      {"job_id", dialect.job_id},
      {"array_index", job.array_parts > 0 ? dialect.array_index : ""},
      {"work", work_of(job, dialect)},
      {"queue_again", dialect.queue_again},
      {"start", start_of(job, dialect)},
  };
}

}  // namespace

const char* scheduler_name(Scheduler scheduler) { return dialect_of(scheduler).name; }

std::optional<Scheduler> scheduler_of(std::string_view name) {
  const auto found = std::find_if(dialects.begin(), dialects.end(),
                                  [&](const Dialect& one) { return name == one.name; });
  return found == dialects.end() ? std::nullopt : std::optional(found->scheduler);
}

std::string submit_command(Scheduler scheduler, const std::string& file) {
  return dialect_of(scheduler).submit + quote_bash(file);
}

std::string format_text(const JobScript& script) {
  check(script);
  const auto& dialect = dialect_of(script.scheduler);
  auto values = values_of(script, dialect);
  values["directives"] = directives_of(dialect, values);
  values["submit"] = std::string(dialect.submit) + "FILE";
  std::string text;
  for (const auto line : lines_of(builtin_job_template())) {
    bool has_empty = false;
    const auto one = filled(line, values, &has_empty);
    // Lines with an empty value are omitted.
    if (!has_empty) text += one + "\n";
  }
  return text;
}

}  // namespace nfold::estimate
