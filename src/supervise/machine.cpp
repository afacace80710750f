// Queries of the environment, PATH and other programs.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/machine.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <thread>

#include "core/read_text.hpp"
#include "supervise/child_process.hpp"

namespace nfold::supervise {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds patience{30};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_in_path(const std::string& program) {
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Returns both output streams of a command. The stream used by srun depends on its version.
std::string command_text(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += word + " ";
  const auto output = run_and_capture({{"sh", "-c", line + "2>&1"}, {}}, patience);
  return output ? output->text : "";
}

}  // namespace

std::string this_program() {
  std::error_code error;
  const auto path = fs::read_symlink("/proc/self/exe", error);
  return error ? "nfold" : path.string();
}

Allocation current_allocation() {
  return read_allocation(
      variable, [](const std::string& path) { return core::read_text(path).value_or(""); });
}

HostInfo host_info(const Allocation& given) {
  return {geteuid() == 0, static_cast<int>(std::thread::hardware_concurrency()), given.scheduler};
}

Launcher find_launcher(const std::string& asked, const Allocation& given) {
  if (!asked.empty()) {
    Launcher launcher{LauncherKind::other, split_arguments(asked)};
    if (launcher.words.empty()) return launcher;
    launcher.kind =
        detect_launcher_kind(launcher.words[0], command_text({launcher.words[0], "--version"}));
    return launcher;
  }
  if (given.scheduler == Scheduler::slurm && is_in_path("srun") &&
      command_text({"srun", "--mpi=list"}).find("pmix") != std::string::npos) {
    return {LauncherKind::srun, {"srun", "--mpi=pmix"}};
  }
  for (const char* program : {"mpirun", "mpiexec"}) {
    if (is_in_path(program))
      return {detect_launcher_kind(program, command_text({program, "--version"})), {program}};
  }
  return {LauncherKind::other, {}};
}

std::optional<std::vector<NodeHealth>> test_devices(const std::string& command,
                                                    const Launcher& launcher,
                                                    const Allocation& given) {
  const bool is_own = command.empty();
  const auto words = is_own ? std::vector<std::string>{this_program(), "devices", "--json"}
                            : std::vector<std::string>{"sh", "-c", command};
  const auto start = is_own ? start_command_on_each_node(launcher, given, words, host_info(given))
                            : StartCommand{words, {}};
  const auto output = run_and_capture(start, patience);
  auto nodes = output ? parse_devices(output->text) : std::nullopt;
  if (!nodes) return std::nullopt;
  const auto visible = variable("CUDA_VISIBLE_DEVICES");
  if (given.nodes.size() < 2) {
    for (auto& node : *nodes) node.gpus = visible_gpus(std::move(node.gpus), visible);
  }
  return nodes;
}

}  // namespace nfold::supervise
