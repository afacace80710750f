// Events of a run by step number, never by time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "input/settings.hpp"

namespace nfold::setup {

/// True if an event with this interval is due; 0: never.
[[nodiscard]] inline bool is_due(std::int64_t step, std::int64_t every) {
  return every > 0 && step % every == 0;
}
/// Returns the first multiple of `every` after `step`.
[[nodiscard]] inline std::int64_t next_multiple(std::int64_t step, std::int64_t every) {
  return (step / every + 1) * every;
}

/// Most steps that are computed twice at a time: few, so that a wrong residue has not yet changed
/// distant ones, and the rank at fault can be identified.
inline constexpr std::int64_t max_verified_steps = 100;
/// Returns the number of verified steps from `step` on, up to `border`; 0: none.
[[nodiscard]] inline std::int64_t verified_steps(std::int64_t step, std::int64_t border,
                                                 std::int64_t verify_every) {
  if (!is_due(step, verify_every)) return 0;
  return std::min({border - step, max_verified_steps, verify_every});
}

/// Returns warnings of intervals and equilibrations beyond dynamics.steps, with which nothing or
/// only the start is recorded.
[[nodiscard]] std::vector<std::string> schedule_warnings(const input::Settings& settings);

/// Returns the steps in some tenths of a second, after which signals, limits and the display are
/// checked.
[[nodiscard]] std::int64_t max_block_steps(std::int64_t residues, bool is_on_gpu);

struct DueEvents {
  bool energies = false, trajectory = false, checkpoint = false, observables = false;
  /// True if any event needs a report of the state.
  [[nodiscard]] bool report() const { return energies || trajectory || observables; }
};

/// Schedule of events at multiples of their intervals, including step 0; an interval of 0 disables
/// them. Observables begin after the equilibration.
class Schedule {
 public:
  Schedule(const input::Settings& settings, std::int64_t residue_count);
  [[nodiscard]] DueEvents at(std::int64_t step) const;
  /// Returns the end (> step) of a block that starts at `step`: the next event, the last step,
  /// `look` (> step), or the most steps between checks of signals and the display.
  [[nodiscard]] std::int64_t next_block_end(
      std::int64_t step, std::int64_t next_gather = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] std::int64_t last_step() const { return last_step_; }
  /// True if the block that starts at `step` is computed twice.
  [[nodiscard]] bool is_verified(std::int64_t step) const { return is_due(step, verify_every_); }

 private:
  std::int64_t last_step_, energies_every_, trajectory_every_, checkpoint_every_,
      observables_every_, observables_from_, verify_every_, most_steps_;
};

}  // namespace nfold::setup
