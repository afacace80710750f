// Command line options of Open MPI, Slurm and other launchers.
// SPDX-License-Identifier: BSD-3-Clause

#include "launch/start_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace nfold::launch {
namespace {

constexpr const char* visible_devices = "CUDA_VISIBLE_DEVICES";

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

bool has_devices(const NodePlace& node) { return !node.devices.empty(); }

std::string joined(const std::vector<std::string>& all) {
  return fmt::format("{}", fmt::join(all, ","));
}

std::string hosts_of(const Placement& placement, bool with_slots) {
  Words hosts;
  for (const auto& node : placement.nodes) {
    hosts.push_back(with_slots ? fmt::format("{}:{}", node.host, node.ranks) : node.host);
  }
  return joined(hosts);
}

Words open_mpi_start(const Launcher& launcher, const Here& here) {
  Words words = launcher.words;
  if (here.is_root) words.emplace_back("--allow-run-as-root");
  // A rank chooses its own cores; by default, Open MPI binds each of two ranks to one core.
  if (std::find(words.begin(), words.end(), "--bind-to") == words.end()) {
    append(words, {"--bind-to", "none"});
  }
  return words;
}

Words open_mpi(const Launcher& launcher, const Placement& placement, const Words& program,
               const Here& here) {
  Words words = open_mpi_start(launcher, here);
  const auto& nodes = placement.nodes;
  const bool is_local = nodes[0].host.empty();
  if (is_local && placement.ranks() > here.cores) words.emplace_back("--oversubscribe");
  if (std::none_of(nodes.begin(), nodes.end(), has_devices) || is_local) {
    append(words, {"-np", std::to_string(placement.ranks())});
    if (!is_local) append(words, {"--host", hosts_of(placement, true)});
    append(words, program);
    return words;
  }
  // Visible devices differ between nodes: one application context for each, in the order of ranks.
  for (const auto& node : nodes) {
    if (&node != nodes.data()) words.emplace_back(":");
    append(words, {"-np", std::to_string(node.ranks), "--host",
                   fmt::format("{}:{}", node.host, node.ranks)});
    if (has_devices(node)) {
      append(words, {"-x", fmt::format("{}={}", visible_devices, joined(node.devices))});
    }
    append(words, program);
  }
  return words;
}

Words srun(const Launcher& launcher, const Placement& placement, const Words& program) {
  Words words = launcher.words;
  append(words, {"--kill-on-bad-exit=1", "-n", std::to_string(placement.ranks())});
  if (!placement.nodes[0].host.empty()) {
    append(words, {"-N", std::to_string(placement.nodes.size()), "-w", hosts_of(placement, false)});
  }
  append(words, program);
  return words;
}

}  // namespace

LauncherKind kind_of(const std::string& program, const std::string& version_text) {
  if (std::filesystem::path(program).filename() == "srun") return LauncherKind::srun;
  for (const char* name : {"Open MPI", "OpenRTE", "open-mpi.org", "PRRTE", "prte"}) {
    if (version_text.find(name) != std::string::npos) return LauncherKind::open_mpi;
  }
  return LauncherKind::other;
}

std::vector<std::string> split_words(const std::string& text) {
  Words words;
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
                           const std::vector<std::string>& program, const Here& here) {
  StartCommand command;
  const auto& first = placement.nodes[0];
  const bool is_local = first.host.empty();
  if (is_local && has_devices(first)) {
    command.environment.emplace_back(visible_devices, joined(first.devices));
  }
  if (is_local && first.ranks == 1 && here.scheduler == Scheduler::none) {
    command.words = program;
    return command;
  }
  switch (launcher.kind) {
    case LauncherKind::open_mpi:
      command.words = open_mpi(launcher, placement, program, here);
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

StartCommand command_on_each_node(const Launcher& launcher, const Allocation& given,
                                  const std::vector<std::string>& program, const Here& here) {
  const auto nodes = given.nodes.size();
  if (nodes < 2 || launcher.kind == LauncherKind::other) return {program, {}};
  StartCommand command;
  if (launcher.kind == LauncherKind::srun) {
    command.words = launcher.words;
    append(command.words, {"-N", std::to_string(nodes), "--ntasks-per-node=1"});
  } else {
    Placement each;
    for (const auto& node : given.nodes) each.nodes.push_back({node.host, 1, {}});
    command.words = open_mpi_start(launcher, here);
    append(command.words, {"-np", std::to_string(nodes), "--map-by", "ppr:1:node", "--host",
                           hosts_of(each, true)});
  }
  append(command.words, program);
  return command;
}

}  // namespace nfold::launch
