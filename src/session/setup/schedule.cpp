// Events and block ends by step number.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "device/device_memory.hpp"

namespace nfold::setup {
namespace {

// Most steps that are computed twice at a time: few, so that a wrong residue has not yet changed
// distant ones, and the rank at fault can be identified.
constexpr std::int64_t max_verified_steps = 100;
// A core computes about 5 million residue-steps a second. At least ten steps, so that polling costs
// nothing in the largest systems.
constexpr std::int64_t residue_steps_per_block = 2'000'000;
constexpr std::int64_t fewest_steps_per_block = 10;
// A GPU step takes some microseconds and about 0.5 ns a residue; replays of graphs must end before
// the host polls.
constexpr double seconds_per_block_on_gpu = 0.2;
constexpr double least_step_seconds = 10e-6;
constexpr double step_seconds_per_residue = 0.5e-9;

/// Returns the first multiple of `every` after `step`.
std::int64_t next_multiple(std::int64_t step, std::int64_t every) {
  return (step / every + 1) * every;
}

}  // namespace

std::vector<std::string> schedule_warnings(const input::Settings& settings) {
  const std::int64_t steps = settings.dynamics.steps;
  const input::Settings defaults;
  std::vector<std::string> warnings;
  // Defaults beyond the end of a short run need no warning.
  const auto warn = [&](bool is_beyond, const char* key, std::int64_t value,
                        std::int64_t default_value, const char* consequence) {
    if (steps == 0 || !is_beyond || value == default_value) return;
    warnings.push_back(
        fmt::format("warning: {} = {} is not reached in the {} steps of dynamics.steps: {}", key,
                    value, steps, consequence));
  };
  const auto warn_of_interval = [&](const char* key, std::int64_t every, std::int64_t usual,
                                    const char* consequence) {
    warn(every > steps, key, every, usual, consequence);
  };
  const auto warn_of_equilibration = [&](const char* key, std::int64_t equilibration,
                                         std::int64_t every) {
    warn(steps / every * every < equilibration, key, equilibration, 0,
         "no sample counts, and there is no result");
  };
  const auto &output = settings.output, &usual = defaults.output;
  const char* const first_alone = "only the first state is written";
  warn_of_interval("output.trajectory_every_steps", output.trajectory_every_steps,
                   usual.trajectory_every_steps, first_alone);
  if (const auto& e = settings.ensemble; e.is_enabled()) {
    warn_of_interval("ensemble.sample_every_steps", e.sample_every_steps,
                     defaults.ensemble.sample_every_steps, "there is no result");
    warn_of_interval("ensemble.exchange_every_steps", e.exchange_every_steps,
                     defaults.ensemble.exchange_every_steps, "no replicas are exchanged");
    warn_of_equilibration("ensemble.equilibration_steps", e.equilibration_steps,
                          e.sample_every_steps);
    return warnings;
  }
  warn_of_interval("output.energies_every_steps", output.energies_every_steps,
                   usual.energies_every_steps, first_alone);
  const auto& o = settings.observables;
  if (o.every_steps == 0) return warnings;
  warn_of_interval("observables.every_steps", o.every_steps, 0,
                   "observables are of the first state alone");
  warn_of_equilibration("observables.equilibration_steps", o.equilibration_steps, o.every_steps);
  return warnings;
}

std::int64_t block_end(std::int64_t step, std::int64_t latest,
                       std::initializer_list<std::int64_t> intervals, std::int64_t verify_every) {
  std::int64_t end = latest;
  for (const auto every : intervals) {
    if (every > 0) end = std::min(end, next_multiple(step, every));
  }
  if (verify_every > 0) end = std::min(end, next_multiple(step, verify_every));
  return is_due(step, verify_every) ? std::min(end, step + max_verified_steps) : end;
}

std::int64_t max_block_steps(std::int64_t residues, bool is_on_gpu) {
  if (is_on_gpu) {
    const double step_seconds =
        least_step_seconds + step_seconds_per_residue * static_cast<double>(residues);
    return std::max<std::int64_t>(fewest_steps_per_block,
                                  std::llround(seconds_per_block_on_gpu / step_seconds));
  }
  return std::max(fewest_steps_per_block,
                  residue_steps_per_block / std::max<std::int64_t>(residues, 1));
}

Schedule::Schedule(const input::Settings& settings, std::int64_t residue_count)
    : last_step_(settings.dynamics.steps),
      output_(settings.output),
      observables_every_(settings.observables.every_steps),
      observables_from_(settings.observables.equilibration_steps),
      verify_every_(settings.reliability.verify_every_steps),
      most_steps_(max_block_steps(residue_count, device::computes_on_gpu())) {}

DueEvents Schedule::at(std::int64_t step) const {
  return {is_due(step, output_.energies_every_steps), output_.has_frame(step),
          is_due(step, observables_every_) && step >= observables_from_};
}

std::int64_t Schedule::next_block_end(std::int64_t step, std::int64_t next_gather) const {
  return block_end(step, std::min({last_step_, step + most_steps_, next_gather}),
                   {output_.energies_every_steps, output_.trajectory_every_steps,
                    output_.checkpoint_every_steps, observables_every_},
                   verify_every_);
}

}  // namespace nfold::setup
