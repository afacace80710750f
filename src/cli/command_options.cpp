// The shared options of the commands.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/command_options.hpp"

#include <CLI/CLI.hpp>

namespace nfold::cli {

void add_set_option(CLI::App& command, std::vector<std::string>& overrides) {
  command
      .add_option("--set", overrides,
                  "Override keys: --set dynamics.steps=1000 dynamics.seed=2, or --set before each")
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

void add_gpus_option(CLI::App& command, std::string& gpus) {
  command
      .add_option("--gpus", gpus,
                  "GPUs of each node: how many, the best first; or which, by the numbers of nfold "
                  "devices ('2,' is GPU 2); or all [the best, one for each rank]")
      ->type_name("N|0,2,3|all");
}

void add_device_memory_option(CLI::App& command, std::uint64_t& bytes) {
  command
      .add_option("--device-memory", bytes,
                  "The most that each rank may take of its GPU's memory, without a GPU of the "
                  "host's: 500MB, 40GB [all that is free]")
      ->transform(CLI::AsSizeValue(true))
      ->type_name("SIZE");
}

}  // namespace nfold::cli
