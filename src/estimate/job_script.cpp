// Checks of a job, and the filling of the templates in job_scripts/.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/job_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "core/input_error.hpp"

namespace nfold::estimate {
namespace {

// In the order of Scheduler.
constexpr std::array scheduler_names{"slurm", "pbs", "lsf"};
constexpr std::array submit_commands{"sbatch ", "qsub ", "bsub < "};

std::string number_or_nothing(std::int64_t number) {
  return number > 0 ? std::to_string(number) : std::string();
}

std::int64_t rounded_up(std::int64_t number, std::int64_t unit) {
  return (number + unit - 1) / unit;
}

class Checker {
 public:
  void refuse(const std::string& found, const std::string& expected) {
    core::InputProblem problem;
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
    if (!problems_.empty()) throw core::InputError(std::move(problems_));
  }

 private:
  std::vector<core::InputProblem> problems_;
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
std::string start_of(const JobScript& job) {
  if (job.nfold_cpu.empty()) {
    return fmt::format(
        "# nfold launch starts the ranks by srun or mpirun, and goes on from the last checkpoint "
        "when one fails.\n\"$nfold\" launch{}{} \"${{work[@]}}\" &",
        job.launcher.empty() ? "" : " --launcher " + quote_bash(job.launcher),
        job.scheduler == Scheduler::slurm ? R"( --sick-nodes "$sick_nodes")" : "");
  }
  const auto mpirun = fmt::format("mpirun --bind-to none -np {}",
                                  job.nodes * (job.ranks_per_node + job.cpu_ranks_per_node));
  return fmt::format(
      R"(for program in "$nfold" "$nfold_cpu"; do
  command -v "$program" > /dev/null && continue
  echo "job script: $program is not on PATH; set nfold to the build for GPUs and nfold_cpu to that for CPUs"
  exit 1
done
# By its place on the node a rank is of one build or the other; nobody watches these ranks.
choose='[ "${{OMPI_COMM_WORLD_LOCAL_RANK:-${{SLURM_LOCALID:-0}}}}" -lt "$1" ] && program=$2 || program=$3
  shift 3; exec "$program" "$@"'
{} bash -c "$choose" choose {} "$nfold" "$nfold_cpu" "${{work[@]}}" &)",
      job.launcher.empty() ? mpirun : job.launcher, job.ranks_per_node);
}

/// Returns the arguments of nfold run or batch.
std::string work_of(const JobScript& job) {
  std::string text =
      fmt::format("{} {} --resume auto --quiet", job.command == JobCommand::run ? "run" : "batch",
                  quote_bash(job.input));
  if (!job.output.empty()) text += " --output " + quote_bash(job.output);
  for (const auto& word : job.options) text += " " + quote_bash(word);
  if (job.array_parts > 0) text += fmt::format(R"( --part "$part/{}")", job.array_parts);
  if (job.scheduler == Scheduler::pbs) {  // it gives no warning before the limit
    text += fmt::format(" --time-limit {}s", job.time_limit_seconds - job.warning_seconds);
  }
  return text;
}

/// Returns the chunks of nodes that PBS selects.
std::string chunks_of(const JobScript& job, const std::string& memory_mib) {
  const auto ranks = job.ranks_per_node + job.cpu_ranks_per_node;
  auto text = fmt::format("{}:ncpus={}:mpiprocs={}:ompthreads={}", job.nodes,
                          ranks * job.cores_per_rank, ranks, job.cores_per_rank);
  if (job.uses_gpus) text += fmt::format(":ngpus={}", job.ranks_per_node);
  if (!memory_mib.empty()) text += fmt::format(":mem={}mb", memory_mib);
  return job.constraint.empty() ? text : text + ":" + job.constraint;
}

TemplateValues values_of(const JobScript& job) {
  constexpr std::int64_t minute = 60, hour = 3600, day = 86400, mebibyte = 1 << 20;
  const auto limit = job.time_limit_seconds;
  const auto all_ranks_per_node = job.ranks_per_node + job.cpu_ranks_per_node;
  const auto memory_mib = number_or_nothing(rounded_up(job.memory_per_node_bytes, mebibyte));
  const bool is_array = job.array_parts > 0;
  return {
      {"name", job.name},
      {"array_name", is_array ? fmt::format("{}[1-{}]", job.name, job.array_parts) : job.name},
      {"nodes", std::to_string(job.nodes)},
      {"all_ranks_per_node", std::to_string(all_ranks_per_node)},
      {"all_ranks", std::to_string(job.nodes * all_ranks_per_node)},
      {"cores_per_rank", std::to_string(job.cores_per_rank)},
      {"chunks", chunks_of(job, memory_mib)},
      {"gpus_per_node", job.uses_gpus ? std::to_string(job.ranks_per_node) : ""},
      {"memory_mib", memory_mib},
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
      {"setup", fmt::format("{}", fmt::join(job.setup, "\n"))},
      {"nfold", quote_bash(job.nfold)},
      {"nfold_cpu", job.nfold_cpu.empty() ? "" : quote_bash(job.nfold_cpu)},
      {"part", is_array ? "part" : ""},  // name of the variable
      {"work", work_of(job)},
      {"start", start_of(job)},
  };
}

}  // namespace

std::string quote_bash(const std::string& word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:=,@%+-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string fill_lines(std::string_view text, const TemplateValues& values) {
  std::string result;
  while (!text.empty()) {
    std::string line(text.substr(0, text.find('\n') + 1));
    text.remove_prefix(line.size());
    bool has_empty = false;
    for (std::size_t open = 0; (open = line.find("{{", open)) != std::string::npos;) {
      const auto end = line.find("}}", open) + 2;
      const auto& value = values.at(line.substr(open + 2, end - open - 4));
      has_empty = has_empty || value.empty();
      line.replace(open, end - open, value);
      open += value.size();
    }
    if (!has_empty) result += line;
  }
  return result;
}

const char* scheduler_name(Scheduler scheduler) {
  return scheduler_names.at(static_cast<std::size_t>(scheduler));
}

std::optional<Scheduler> scheduler_of(std::string_view name) {
  for (const auto one : all_schedulers) {
    if (name == scheduler_name(one)) return one;
  }
  return std::nullopt;
}

std::string submit_command(Scheduler scheduler, const std::string& file) {
  return submit_commands.at(static_cast<std::size_t>(scheduler)) + quote_bash(file);
}

std::string format_text(const JobScript& script) {
  check(script);
  const auto values = values_of(script);
  return fill_lines(builtin_job_template(scheduler_name(script.scheduler)), values) +
         fill_lines(builtin_job_template("end"), values);
}

}  // namespace nfold::estimate
