// The command line of mpirun or srun for a placement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/allocation.hpp"
#include "launch/placement.hpp"

namespace nfold::launch {

enum class LauncherKind { open_mpi, srun, other };

struct Launcher {
  LauncherKind kind = LauncherKind::open_mpi;
  std::vector<std::string> words;  ///< the program and options of the site
};

/// By the program's name and, for an mpirun, by what `mpirun --version` says of itself.
[[nodiscard]] LauncherKind kind_of(const std::string& program, const std::string& version_text);

/// Words as a shell splits them at blanks; quotes keep blanks.
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

struct Here {
  bool is_root = false;  ///< Open MPI refuses root unless told
  int cores = 1;
  Scheduler scheduler = Scheduler::none;
};

struct StartCommand {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's
};

/// program: with its arguments, the same on all ranks. One rank on this node needs no launcher.
[[nodiscard]] StartCommand start_command(const Launcher& launcher, const Placement& placement,
                                         const std::vector<std::string>& program, const Here& here);

/// One process on each node of the job, for the test of devices.
[[nodiscard]] StartCommand command_on_each_node(const Launcher& launcher, const Allocation& given,
                                                const std::vector<std::string>& program,
                                                const Here& here);

}  // namespace nfold::launch
