// Events and block borders by step number.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/schedule.hpp"

#include <algorithm>

namespace nfold::setup {
namespace {

// A core does about 5 million residue-steps a second: some tenths of a second between two looks at
// the signals. At least ten steps, so that looking costs nothing on the largest systems either.
constexpr std::int64_t residue_steps_per_block = 2'000'000;
constexpr std::int64_t fewest_steps_per_block = 10;

}  // namespace

Schedule::Schedule(const config::Settings& settings, std::int64_t residue_count)
    : last_step_(settings.dynamics.steps),
      energies_every_(settings.output.energies_every_steps),
      trajectory_every_(settings.output.trajectory_every_steps),
      checkpoint_every_(settings.output.checkpoint_every_steps),
      observables_every_(settings.observables.every_steps),
      observables_from_(settings.observables.equilibration_steps),
      verify_every_(settings.reliability.verify_every_steps),
      most_steps_(std::max(fewest_steps_per_block,
                           residue_steps_per_block / std::max<std::int64_t>(residue_count, 1))) {}

DueEvents Schedule::at(std::int64_t step) const {
  return {is_due(step, energies_every_), is_due(step, trajectory_every_),
          is_due(step, checkpoint_every_),
          is_due(step, observables_every_) && step >= observables_from_};
}

std::int64_t Schedule::next_border(std::int64_t step) const {
  std::int64_t border = std::min(last_step_, step + most_steps_);
  for (const auto every :
       {energies_every_, trajectory_every_, checkpoint_every_, observables_every_, verify_every_}) {
    if (every > 0) border = std::min(border, next_multiple(step, every));
  }
  return is_verified(step) ? step + verified_steps(step, border, verify_every_) : border;
}

}  // namespace nfold::setup
