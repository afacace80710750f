// Command line options of Open MPI, Slurm and other launchers.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/start_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace nfold::supervise {
namespace {

constexpr const char* visible_devices = "CUDA_VISIBLE_DEVICES";

using Arguments = std::vector<std::string>;

void append(Arguments& words, const Arguments& more) {
  words.insert(words.end(), more.begin(), more.end());
}

bool has_devices(const NodeAssignment& node) { return !node.devices.empty(); }

std::string comma_joined(const std::vector<std::string>& all) {
  return fmt::format("{}", fmt::join(all, ","));
}

std::string format_hosts(const Placement& placement, bool with_slots) {
  Arguments hosts;
  for (const auto& node : placement.nodes) {
    hosts.push_back(with_slots ? fmt::format("{}:{}", node.host, node.ranks) : node.host);
  }
  return comma_joined(hosts);
}

Arguments open_mpi_start(const Launcher& launcher, const HostInfo& host_info) {
  Arguments words = launcher.words;
  if (host_info.is_root) words.emplace_back("--allow-run-as-root");
  // A rank chooses its own cores; by default, Open MPI binds each of two ranks to one core.
  if (std::ranges::find(words, "--bind-to") == words.end()) {
    append(words, {"--bind-to", "none"});
  }
  return words;
}

Arguments open_mpi(const Launcher& launcher, const Placement& placement, const Arguments& program,
                   const HostInfo& host_info) {
  Arguments words = open_mpi_start(launcher, host_info);
  const auto& nodes = placement.nodes;
  const bool is_local = nodes[0].host.empty();
  if (is_local && placement.ranks() > host_info.cores) words.emplace_back("--oversubscribe");
  if (std::ranges::none_of(nodes, has_devices) || is_local) {
    append(words, {"-np", std::to_string(placement.ranks())});
    if (!is_local) append(words, {"--host", format_hosts(placement, true)});
    append(words, program);
    return words;
  }
  // Visible devices differ between nodes: one application context for each, in the order of ranks.
  for (const auto& node : nodes) {
    if (&node != nodes.data()) words.emplace_back(":");
    append(words, {"-np", std::to_string(node.ranks), "--host",
                   fmt::format("{}:{}", node.host, node.ranks)});
    if (has_devices(node)) {
      append(words, {"-x", fmt::format("{}={}", visible_devices, comma_joined(node.devices))});
    }
    append(words, program);
  }
  return words;
}

Arguments srun(const Launcher& launcher, const Placement& placement, const Arguments& program) {
  Arguments words = launcher.words;
  append(words, {"--kill-on-bad-exit=1", "-n", std::to_string(placement.ranks())});
  if (!placement.nodes[0].host.empty()) {
    append(words,
           {"-N", std::to_string(placement.nodes.size()), "-w", format_hosts(placement, false)});
  }
  append(words, program);
  return words;
}

}  // namespace

LauncherKind detect_launcher_kind(const std::string& program, const std::string& version_text) {
  if (std::filesystem::path(program).filename() == "srun") return LauncherKind::srun;
  for (const char* name : {"Open MPI", "OpenRTE", "open-mpi.org", "PRRTE", "prte"}) {
    if (version_text.find(name) != std::string::npos) return LauncherKind::open_mpi;
  }
  return LauncherKind::other;
}

std::vector<std::string> split_arguments(const std::string& text) {
  Arguments words;
  bool is_within = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 ? c == quote : (c == '"' || c == '\'')) {
      quote = quote != 0 ? 0 : c;
      if (!is_within) words.emplace_back();
      is_within = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      is_within = false;
    } else {
      if (!is_within) words.emplace_back();
      is_within = true;
      words.back() += c;
    }
  }
  return words;
}

StartCommand start_command(const Launcher& launcher, const Placement& placement,
                           const std::vector<std::string>& program, const HostInfo& host_info) {
  StartCommand command;
  const auto& first = placement.nodes[0];
  const bool is_local = first.host.empty();
  if (is_local && has_devices(first)) {
    command.environment.emplace_back(visible_devices, comma_joined(first.devices));
  }
  if (is_local && first.ranks == 1 && host_info.scheduler == Scheduler::none) {
    command.words = program;
    return command;
  }
  switch (launcher.kind) {
    case LauncherKind::open_mpi:
      command.words = open_mpi(launcher, placement, program, host_info);
      break;
    case LauncherKind::srun:
      command.words = srun(launcher, placement, program);
      break;
    case LauncherKind::other:
      command.words = launcher.words;
      append(command.words, {"-n", std::to_string(placement.ranks())});
      append(command.words, program);
      break;
  }
  return command;
}

StartCommand start_command_on_each_node(const Launcher& launcher, const Allocation& given,
                                        const std::vector<std::string>& program,
                                        const HostInfo& host_info) {
  const auto nodes = given.nodes.size();
  if (nodes < 2 || launcher.kind == LauncherKind::other) return {program, {}};
  StartCommand command;
  if (launcher.kind == LauncherKind::srun) {
    command.words = launcher.words;
    append(command.words, {"-N", std::to_string(nodes), "--ntasks-per-node=1"});
  } else {
    Placement each;
    for (const auto& node : given.nodes) each.nodes.push_back({node.host, 1, {}});
    command.words = open_mpi_start(launcher, host_info);
    append(command.words, {"-np", std::to_string(nodes), "--map-by", "ppr:1:node", "--host",
                           format_hosts(each, true)});
  }
  append(command.words, program);
  return command;
}

}  // namespace nfold::supervise
