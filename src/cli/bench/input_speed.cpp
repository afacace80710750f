// Timing of the system of an input file, which is built, minimised and settled as in a run.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/input_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "cli/bench/measure.hpp"
#include "cli/bench/step_estimate.hpp"
#include "comm/waiting.hpp"
#include "core/refusal.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "engine/engine.hpp"
#include "input/input.hpp"
#include "session/ensemble/first_replicas.hpp"
#include "session/job/collective_work.hpp"
#include "session/setup/device_setup.hpp"
#include "session/setup/machine_lookup.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::bench {
namespace {

using Json = nlohmann::json;

/// Steps until replicas have left their native initial configuration.
constexpr std::int64_t settling_steps_of_replicas = 2000;

class InputSpeed {
 public:
  InputSpeed(const comm::Communicator& communicator, const std::string& input,
             const SuiteOptions& options, const input::Settings& settings)
      : communicator_(communicator),
        options_(options),
        settings_(settings),
        system_(setup::build_system(communicator, settings, input)),
        line_{{"input", input},
              {"residues", system_.topology.residue_count()},
              {"ranks", communicator.size()},
              {"repeats", options.timing.repeats}} {
    const bool mixed = settings.dynamics.precision == system::Precision::mixed;
    line_["precision"] = mixed ? "mixed" : "double";
  }

  Json time_input(system::State start, const device::ComputeEnvironment& compute) {
    line_["space"] = device::execution_space_name();
    if (settings_.ensemble.is_enabled()) {
      time_replicas(std::move(start), compute);
    } else {
      time_engine(std::move(start), compute);
    }
    return std::move(line_);
  }
  [[nodiscard]] const topology::Topology& topology() const { return system_.topology; }

 private:
  /// Adds the estimate over `seconds` of run time, if a machine is named.
  void add_estimate(const system::State& start, std::int64_t replicas, double seconds) {
    if (options_.machine.empty()) return;
    line_["predicted_steps_per_second"] = predicted_steps_per_second(
        setup::machine_named(communicator_, options_.machine),
        {settings_, topology(), start, replicas, communicator_.size()}, seconds);
  }

  void add_measurement(const Measurement& found, double replicas) {
    const double median = found.median_steps_per_second();
    line_["steps"] = found.blocks.front().steps;
    line_["steps_per_second"] = median;
    line_["slowest_steps_per_second"] = found.slowest_steps_per_second();
    line_["fastest_steps_per_second"] = found.fastest_steps_per_second();
    line_["ns_per_day"] = replicas * median * settings_.dynamics.time_step_ps * 86.4;
    line_["memory_bytes"] = found.memory_bytes;
  }

  void time_engine(system::State start, const device::ComputeEnvironment& compute) {
    const double measured_seconds = options_.timing.seconds * options_.timing.repeats;
    const double settling_seconds = std::min(most_settling_seconds(), 2 * measured_seconds);
    add_estimate(start, 0, settling_seconds + measured_seconds);
    auto engine = setup::make_engine(communicator_, compute.devices(), settings_, topology(),
                                     std::move(start));
    (void)setup::minimise_start(engine, settings_.start);
    settle(communicator_, engine, settings_, topology(), 0, settling_seconds);
    const auto found = measure(communicator_, engine, options_.timing);
    const auto statistics = engine.statistics();
    add_measurement(found, 1);
    line_["neighbour_entries"] = found.pair_entries;
    line_["skin_nm"] = found.skin_nm;
    line_["rebuilds"] = statistics.rebuilds;
    line_["replayed_blocks"] = statistics.replayed_blocks;
    if (found.transport.empty()) return;
    line_["transport"] = found.transport;
    line_["halo_plans"] = statistics.halo_plans;
  }

  void time_replicas(system::State start, const device::ComputeEnvironment& compute) {
    const auto replicas = settings_.ensemble.replicas();
    if (communicator_.size() > replicas) {
      core::refuse("ensemble",
                   fmt::format("{} replicas on {} ranks", replicas, communicator_.size()),
                   "take no more ranks than replicas (mpirun -np N), or more ensemble.ladders");
    }
    add_estimate(start, replicas, 0);
    std::optional<replicas::ReplicaSet> set;
    job::on_all(communicator_, [&] {
      if (settings_.start.minimise_steps > 0) {
        auto engine = setup::make_engine(comm::Communicator(), compute.devices(), settings_,
                                         topology(), start);
        (void)setup::minimise_start(engine, settings_.start);
        start = engine.owned_state();
      }
      std::vector<std::int64_t> own;
      for (std::int64_t k = communicator_.rank(); k < replicas; k += communicator_.size()) {
        own.push_back(k);
      }
      set.emplace(ensemble::first_replicas(settings_, system_, start, own));
      set->advance(settling_steps_of_replicas);
    });
    const auto found = measure(communicator_, *set, options_.timing);
    add_measurement(found, static_cast<double>(replicas));
    line_["replicas"] = replicas;
    line_["form"] = found.form;
    line_["replica_steps_per_second"] =
        static_cast<double>(replicas) * found.median_steps_per_second();
  }

  const comm::Communicator& communicator_;
  const SuiteOptions& options_;
  const input::Settings& settings_;
  setup::SystemSetup system_;
  Json line_;
};

}  // namespace

core::ExitCode bench_input(const comm::Communicator& communicator, const std::string& input,
                           const SuiteOptions& options) {
  const std::string text =
      job::text_from_root(communicator, [&] { return input::read_input_text(input); });
  const auto settings = input::parse_input(text, input, options.overrides);
  comm::set_wait_limit(std::chrono::duration<double>(settings.partition.wait_limit_seconds));
  InputSpeed speed(communicator, input, options, settings);
  device::limit_device_memory(static_cast<std::int64_t>(options.device_memory));
  const device::ComputeEnvironment compute(
      communicator, options.threads, setup::to_device_request(settings.devices, options.gpus));
  job::on_root(communicator, [&] { print_warnings(compute); });
  auto start = setup::first_state(communicator, settings, input, speed.topology()).state;
  const auto line = speed.time_input(std::move(start), compute);
  if (communicator.is_root()) std::cout << line.dump() << std::endl;
  return core::ExitCode::done;
}

}  // namespace nfold::bench
