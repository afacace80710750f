// nfold bench: the suite of built-in systems, or steps per second of an input's system.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/bench_choice.hpp"
#include "cli/bench_suite.hpp"
#include "cli/bench_table.hpp"
#include "cli/command_options.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/meeting.hpp"
#include "cli/ranks_of_job.hpp"
#include "cli/start_setup.hpp"
#include "cli/system_setup.hpp"
#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "config/input.hpp"
#include "dynamics/device_memory.hpp"
#include "dynamics/engine.hpp"

namespace nfold::cli {
namespace {

struct BenchOptions {
  std::string input;
  SuiteOptions suite;
  bool list = false;
};

ExitCode bench_input(const comm::Communicator& communicator, const std::string& input,
                     const SuiteOptions& options) {
  const std::string text =
      text_from_root(communicator, [&] { return config::read_input_text(input); });
  const auto settings = config::parse_input(text, input, options.overrides);
  comm::set_wait_limit(std::chrono::duration<double>(settings.partition.wait_limit_seconds));
  const auto system = build_system(communicator, settings, input);
  dynamics::limit_device_memory(static_cast<std::int64_t>(options.device_memory));
  const dynamics::ComputeEnvironment compute(communicator, options.threads);
  const auto state = first_state(communicator, settings, input, system.topology).state;
  auto engine = make_engine(communicator, compute.devices(), settings, system.topology, state);
  (void)minimise_start(engine, settings.start);
  const auto found = measure(communicator, engine, options.timing);
  const double median = found.median_steps_per_second();
  const auto statistics = engine.statistics();
  if (communicator.is_root()) {
    const bool mixed = settings.dynamics.precision == config::Precision::mixed;
    const nlohmann::json line{{"input", input},
                              {"residues", system.topology.residue_count()},
                              {"precision", mixed ? "mixed" : "double"},
                              {"ranks", communicator.size()},
                              {"space", dynamics::execution_space_name()},
                              {"steps", found.blocks.front().steps},
                              {"repeats", options.timing.repeats},
                              {"steps_per_second", median},
                              {"slowest_steps_per_second", found.slowest_steps_per_second()},
                              {"fastest_steps_per_second", found.fastest_steps_per_second()},
                              {"ns_per_day", median * settings.dynamics.time_step_ps * 86.4},
                              {"neighbour_entries", found.pair_entries},
                              {"skin_nm", found.skin_nm},
                              {"memory_bytes", found.memory_bytes},
                              {"rebuilds", statistics.rebuilds},
                              {"replayed_blocks", statistics.replayed_blocks}};
    std::cout << line.dump() << std::endl;
  }
  return ExitCode::done;
}

ExitCode bench(Launch& launch, const BenchOptions& options) {
  if (options.list) {
    if (speaks_before_mpi()) std::cout << system_list(bench_suite()) << std::flush;
    return ExitCode::done;
  }
  const comm::Environment environment(launch.argc, launch.argv);
  const auto world = comm::Communicator::world();
  return run_together(
      world,
      [&] {
        require_one_space(world, "nfold bench");
        return options.input.empty() ? run_suite(world, options.suite)
                                     : bench_input(world, options.input, options.suite);
      },
      [](const std::string&, ExitCode) {});
}

}  // namespace

void add_bench(CLI::App& app, Launch& launch) {
  auto options = std::make_shared<BenchOptions>();
  auto& suite = options->suite;
  auto* command = app.add_subcommand(
      "bench", "Measure speed: the suite of built-in systems as a table, or INPUT.yaml's system");
  auto* input = command->add_option("INPUT", options->input,
                                    "Input file (YAML); prints one line of JSON [the suite]");
  command->add_flag("--list", options->list, "Name the systems of the suite")->excludes(input);
  command
      ->add_option("--only", suite.only,
                   "Systems to measure [what fits here and takes some minutes in all]")
      ->type_name("NAME ...")
      ->excludes(input);
  command->add_option("--json", suite.json, "Write all measurements as JSON")
      ->type_name("FILE")
      ->excludes(input);
  command->add_option("--csv", suite.csv, "Write all measurements as CSV, a row each")
      ->type_name("FILE")
      ->excludes(input);
  command
      ->add_option("--against", suite.against,
                   "JSON or CSV of an earlier call on fewer ranks: adds ratio and efficiency")
      ->type_name("FILE")
      ->excludes(input);
  command
      ->add_option("--warm-up", suite.warm_up_steps,
                   "Steps before the timing, in place of each system's own 2000 to 3000")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}))
      ->type_name("STEPS")
      ->excludes(input);
  command
      ->add_option("--seconds", suite.timing.seconds, "About how long one measurement lasts [10]")
      ->check(CLI::Range(0.01, 3600.0));
  command
      ->add_option("--repeats", suite.timing.repeats,
                   "Measurements, of which the median counts [3]")
      ->check(CLI::Range(1, 1000));
  add_set_option(*command, suite.overrides);
  add_threads_option(*command, suite.threads);
  add_device_memory_option(*command, suite.device_memory);
  command->footer(column_help);
  command->callback([options, &launch] { launch.exit_code = bench(launch, *options); });
}

}  // namespace nfold::cli
