// Command line of mpirun or srun for a placement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "supervise/allocation.hpp"
#include "supervise/placement.hpp"

namespace nfold::supervise {

enum class LauncherKind { open_mpi, srun, other };

struct Launcher {
  LauncherKind kind = LauncherKind::open_mpi;
  std::vector<std::string> words;  ///< Program and options of the site.
};

/// Determines the kind by the program's name and, for mpirun, by the output of `mpirun --version`.
[[nodiscard]] LauncherKind detect_launcher_kind(const std::string& program,
                                                const std::string& version_text);

/// Splits a command line at blanks, except within quotes.
[[nodiscard]] std::vector<std::string> split_arguments(const std::string& text);

/// Properties of this host and process.
struct HostInfo {
  bool is_root = false;  ///< Open MPI needs an option to run as root.
  int cores = 1;
  Scheduler scheduler = Scheduler::none;
};

struct StartCommand {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;  ///< Additional variables.
};

/// Builds the command line. program: path and arguments. One rank on this node needs no launcher.
[[nodiscard]] StartCommand start_command(const Launcher& launcher, const Placement& placement,
                                         const std::vector<std::string>& program,
                                         const HostInfo& host_info);

/// Builds a command line with one process on each node of the job, for the device test.
[[nodiscard]] StartCommand start_command_on_each_node(const Launcher& launcher,
                                                      const Allocation& given,
                                                      const std::vector<std::string>& program,
                                                      const HostInfo& host_info);

}  // namespace nfold::supervise
