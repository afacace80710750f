// Writer of the examples in jobscripts/ and of single scripts for tests.
// SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "estimate/job_script.hpp"

namespace {

using nfold::estimate::JobCommand;
using nfold::estimate::JobScript;
using nfold::estimate::Scheduler;

/// A job with four GPUs per node and sixteen cores per GPU.
JobScript gpu_job(Scheduler scheduler, std::int64_t nodes) {
  JobScript job;
  job.scheduler = scheduler;
  job.nodes = nodes;
  job.ranks_per_node = 4;
  job.cores_per_rank = 16;
  job.uses_gpus = true;
  job.time_limit_seconds = std::int64_t{4} * 3600;
  job.input = "input/hps-urry-slab.yaml";
  return job;
}

std::vector<std::pair<std::string, JobScript>> examples() {
  auto array = gpu_job(Scheduler::slurm, 1);
  array.command = JobCommand::batch;
  array.input = "input/targets.yaml";
  array.ranks_per_node = 1;
  array.array_parts = 4;
  auto both = gpu_job(Scheduler::slurm, 1);
  both.command = JobCommand::batch;
  both.input = "input/targets.yaml";
  both.cores_per_rank = 1;
  both.nfold_cpu = "nfold-cpu";
  both.cpu_ranks_per_node = 32;
  return {{"slurm_one_node.sh", gpu_job(Scheduler::slurm, 1)},
          {"slurm_several_nodes.sh", gpu_job(Scheduler::slurm, 2)},
          {"slurm_array.sh", array},
          {"slurm_gpus_and_cores.sh", both},
          {"pbs.sh", gpu_job(Scheduler::pbs, 2)},
          {"lsf.sh", gpu_job(Scheduler::lsf, 2)}};
}

JobScript parse_script(const std::vector<std::string>& arguments) {
  JobScript job;
  const auto number = [](std::int64_t& to) {
    return [&to](const std::string& value) { to = std::stoll(value); };
  };
  const auto text = [](std::string& to) { return [&to](const std::string& value) { to = value; }; };
  const std::map<std::string, std::function<void(const std::string&)>> setters{
      {"scheduler",
       [&](const auto& v) { job.scheduler = nfold::estimate::scheduler_of(v).value(); }},
      {"command",
       [&](const auto& v) { job.command = v == "batch" ? JobCommand::batch : JobCommand::run; }},
      {"nodes", number(job.nodes)},
      {"ranks_per_node", number(job.ranks_per_node)},
      {"cpu_ranks_per_node", number(job.cpu_ranks_per_node)},
      {"time_limit_seconds", number(job.time_limit_seconds)},
      {"warning_seconds", number(job.warning_seconds)},
      {"array_parts", number(job.array_parts)},
      {"queue", text(job.queue)},
      {"launcher", text(job.launcher)},
      {"nfold", text(job.nfold)},
      {"nfold_cpu", text(job.nfold_cpu)},
      {"input", text(job.input)},
      {"output", text(job.output)},
      {"option", [&](const auto& v) { job.options.push_back(v); }},
      {"setup", [&](const auto& v) { job.setup.push_back(v); }}};
  for (const auto& argument : arguments) {
    const auto equals = argument.find('=');
    const auto setter = setters.find(argument.substr(0, equals));
    if (setter == setters.end()) throw std::runtime_error("no field of a job script: " + argument);
    setter->second(argument.substr(equals + 1));
  }
  return job;
}

}  // namespace

// Usage: job_scripts --examples FOLDER | FIELD=VALUE ...
int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 2 && arguments[0] == "--examples") {
      for (const auto& [name, job] : examples()) {
        std::ofstream(std::filesystem::path(arguments[1]) / name) << format_text(job);
      }
      return 0;
    }
    std::cout << format_text(parse_script(arguments));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
