// The shared options of the commands.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/command_options.hpp"

#include <CLI/CLI.hpp>

namespace nfold::cli {

void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  command.add_option("--set", overrides, "Override a key: --set dynamics.steps=1000")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->take_all();
}

void add_threads_option(CLI::App& command, int& threads) {
  command
      .add_option("--threads", threads,
                  "Threads per rank [OMP_NUM_THREADS, else the cores shared by the ranks]")
      ->check(CLI::Range(1, 4096));
}

}  // namespace nfold::cli
