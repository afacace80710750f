// What nfold bench does: the suite of built-in systems, or steps per second of an input's system.
// SPDX-License-Identifier: BSD-3-Clause

#include "bench/bench.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "bench/choice.hpp"
#include "bench/suite.hpp"
#include "bench/table.hpp"
#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "dynamics/engine.hpp"
#include "forecast/prediction.hpp"
#include "input_files/input.hpp"
#include "job/collective_work.hpp"
#include "job/failure.hpp"
#include "job/ranks_of_job.hpp"
#include "setup/device_setup.hpp"
#include "setup/machine_here.hpp"
#include "setup/start_setup.hpp"
#include "setup/system_setup.hpp"

namespace nfold::bench {
namespace {

job::ExitCode bench_input(const comm::Communicator& communicator, const std::string& input,
                          const SuiteOptions& options) {
  const std::string text =
      job::text_from_root(communicator, [&] { return input_files::read_input_text(input); });
  const auto settings = input_files::parse_input(text, input, options.overrides);
  comm::set_wait_limit(std::chrono::duration<double>(settings.partition.wait_limit_seconds));
  const auto system = setup::build_system(communicator, settings, input);
  device::limit_device_memory(static_cast<std::int64_t>(options.device_memory));
  const device::ComputeEnvironment compute(communicator, options.threads,
                                           setup::device_wish(settings.devices, options.gpus));
  job::on_root(communicator, [&] { tell_warnings(compute); });
  auto state = setup::first_state(communicator, settings, input, system.topology).state;
  const double measured_seconds = options.timing.seconds * options.timing.repeats;
  const double settling_seconds = std::min(most_settling_seconds, 2 * measured_seconds);
  std::optional<double> predicted;
  if (!options.machine.empty()) {
    const plan::Layout layout{1, communicator.size(), device::computes_on_gpu()};
    predicted = 1 / forecast::predicted_step(settings, system.topology, state, layout,
                                             setup::machine_named(communicator, options.machine),
                                             settling_seconds + measured_seconds);
  }
  auto engine = setup::make_engine(communicator, compute.devices(), settings, system.topology,
                                   std::move(state));
  (void)setup::minimise_start(engine, settings.start);
  settle(communicator, engine, settings, system.topology, 0, settling_seconds);
  const auto found = measure(communicator, engine, options.timing);
  const double median = found.median_steps_per_second();
  const auto statistics = engine.statistics();
  if (communicator.is_root()) {
    const bool mixed = settings.dynamics.precision == config::Precision::mixed;
    nlohmann::json line{{"input", input},
                        {"residues", system.topology.residue_count()},
                        {"precision", mixed ? "mixed" : "double"},
                        {"ranks", communicator.size()},
                        {"space", device::execution_space_name()},
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
    if (!found.transport.empty()) {
      line["transport"] = found.transport;
      line["halo_plans"] = statistics.halo_plans;
    }
    if (predicted) line["predicted_steps_per_second"] = *predicted;
    std::cout << line.dump() << std::endl;
  }
  return job::ExitCode::done;
}

}  // namespace

job::ExitCode bench(job::Invocation& invocation, const BenchOptions& options) {
  if (options.list) {
    if (job::speaks_before_mpi()) std::cout << system_list(bench_suite()) << std::flush;
    return job::ExitCode::done;
  }
  const comm::Environment environment(invocation.argc, invocation.argv);
  const auto world = comm::Communicator::world();
  return job::run_together(
      world,
      [&] {
        job::require_one_space(world, "nfold bench");
        if (!options.calibration.file.empty()) {
          auto calibration = options.calibration;
          calibration.gpus = options.suite.gpus;
          return calibrate(world, calibration);
        }
        return options.input.empty() ? run_suite(world, options.suite)
                                     : bench_input(world, options.input, options.suite);
      },
      [](const job::SessionFailure&) {});
}

}  // namespace nfold::bench
