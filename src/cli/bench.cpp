// nfold bench: steps per second of an input's system, without its output.
// SPDX-License-Identifier: BSD-3-Clause

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/meeting.hpp"
#include "cli/start_setup.hpp"
#include "cli/system_setup.hpp"
#include "comm/communicator.hpp"
#include "config/input.hpp"
#include "dynamics/engine.hpp"

namespace nfold::cli {
namespace {

struct BenchOptions {
  std::string input;
  std::vector<std::string> overrides;
  double seconds = 10;
  int repeats = 3;
  int threads = 0;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Steps that take about `seconds`; all ranks agree on rank 0's measure.
std::int64_t steps_for(const comm::Communicator& communicator, dynamics::Engine& engine,
                       double seconds) {
  std::int64_t steps = 64;
  while (true) {
    const auto start = Clock::now();
    engine.advance(steps);
    const auto microseconds = static_cast<std::int64_t>(seconds_since(start) * 1e6);
    const double taken = static_cast<double>(communicator.max(microseconds)) * 1e-6;
    if (taken >= 0.1 * seconds || steps > (std::int64_t{1} << 40)) {
      return std::max<std::int64_t>(1, std::llround(static_cast<double>(steps) * seconds / taken));
    }
    steps *= 2;
  }
}

ExitCode bench(const comm::Communicator& communicator, const BenchOptions& options) {
  const std::string text =
      text_from_root(communicator, [&] { return config::read_input_text(options.input); });
  const auto settings = config::parse_input(text, options.input, options.overrides);
  const auto system = build_system(communicator, settings, options.input);
  const dynamics::ComputeEnvironment compute(communicator, options.threads);
  const auto engine_choice = engine_settings(settings);
  const auto state = first_state(communicator, settings, options.input, system.topology).state;
  dynamics::Engine engine(communicator, system.topology, engine_choice, state,
                          owners(settings, system.topology, state, communicator.size()));
  if (settings.start.minimise_steps > 0) {
    (void)engine.minimise({settings.start.minimise_steps, settings.start.minimise_force_kj_mol_nm});
  }
  const auto steps = steps_for(communicator, engine, options.seconds);
  std::vector<double> rates;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    communicator.barrier();
    const auto start = Clock::now();
    engine.advance(steps);
    communicator.barrier();
    rates.push_back(static_cast<double>(steps) / seconds_since(start));
  }
  std::sort(rates.begin(), rates.end());
  const double median = rates[rates.size() / 2];
  const auto statistics = engine.statistics();
  const auto entries = communicator.sum(statistics.pair_entries);
  if (communicator.is_root()) {
    const nlohmann::json line{
        {"input", options.input},
        {"residues", system.topology.residue_count()},
        {"precision", engine_choice.precision == dynamics::Precision::mixed ? "mixed" : "double"},
        {"ranks", communicator.size()},
        {"space", dynamics::execution_space_name()},
        {"steps", steps},
        {"repeats", options.repeats},
        {"steps_per_second", median},
        {"slowest_steps_per_second", rates.front()},
        {"fastest_steps_per_second", rates.back()},
        {"ns_per_day", median * settings.dynamics.time_step_ps * 86.4},
        {"neighbour_entries", entries},
        {"skin_nm", statistics.skin_nm},
        {"memory_bytes", statistics.memory_bytes},
        {"rebuilds", statistics.rebuilds},
        {"replayed_blocks", statistics.replayed_blocks}};
    std::cout << line.dump() << std::endl;
  }
  return ExitCode::done;
}

}  // namespace

void add_bench(CLI::App& app, Launch& launch) {
  auto options = std::make_shared<BenchOptions>();
  auto* command = app.add_subcommand(
      "bench", "Measure the speed of INPUT.yaml's system; prints one line of JSON");
  command->add_option("INPUT", options->input, "Input file (YAML)")->required();
  command->add_option("--set", options->overrides, "Override a key: --set system.copies=27")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--seconds", options->seconds, "About how long one measurement lasts [10]")
      ->check(CLI::Range(0.01, 3600.0));
  command->add_option("--repeats", options->repeats, "Measurements, of which the median counts [3]")
      ->check(CLI::Range(1, 1000));
  command->add_option("--threads", options->threads, "Threads a rank [OMP_NUM_THREADS or all]")
      ->check(CLI::Range(1, 4096));
  command->callback([options, &launch] {
    const comm::Environment environment(launch.argc, launch.argv);
    const auto world = comm::Communicator::world();
    launch.exit_code = run_together(
        world, [&] { return bench(world, *options); }, [](const std::string&, ExitCode) {});
  });
}

}  // namespace nfold::cli
