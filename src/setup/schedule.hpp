// What is due at which step of a run: a function of step numbers only, never of a timer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "config/settings.hpp"

namespace nfold::setup {

/// Whether an event of this interval is due; 0: never.
[[nodiscard]] inline bool is_due(std::int64_t step, std::int64_t every) {
  return every > 0 && step % every == 0;
}
/// The first multiple of `every` behind `step`.
[[nodiscard]] inline std::int64_t next_multiple(std::int64_t step, std::int64_t every) {
  return (step / every + 1) * every;
}

/// Steps that are computed again at a time: so few that a wrong residue has not yet changed what
/// is far from it, by which the rank that computed it is known.
inline constexpr std::int64_t most_verified_steps = 100;
/// How many of them begin at `step`, of those up to `border`; 0: none.
[[nodiscard]] inline std::int64_t verified_steps(std::int64_t step, std::int64_t border,
                                                 std::int64_t verify_every) {
  if (!is_due(step, verify_every)) return 0;
  return std::min({border - step, most_verified_steps, verify_every});
}

/// Warnings of intervals and equilibrations that dynamics.steps does not reach, so that nothing, or
/// only the start, is recorded.
[[nodiscard]] std::vector<std::string> schedule_warnings(const config::Settings& settings);

/// Steps of some tenths of a second, between which signals, limits and the display are served.
[[nodiscard]] std::int64_t most_steps_between_looks(std::int64_t residues, bool is_on_gpu);

struct DueEvents {
  bool energies = false, trajectory = false, checkpoint = false, observables = false;
  /// Somebody wants to see the state.
  [[nodiscard]] bool report() const { return energies || trajectory || observables; }
};

/// Events stand at multiples of their intervals, step 0 included; an interval of 0 has none.
/// Observables begin after the equilibration.
class Schedule {
 public:
  Schedule(const config::Settings& settings, std::int64_t residue_count);
  [[nodiscard]] DueEvents at(std::int64_t step) const;
  /// The step at which a block that starts at `step` ends: the next event, the last step, `look`
  /// (> step), or at most so many steps on that signals and the display are served in time. > step.
  [[nodiscard]] std::int64_t next_border(
      std::int64_t step, std::int64_t look = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] std::int64_t last_step() const { return last_step_; }
  /// Whether the block that starts at `step` is computed again.
  [[nodiscard]] bool is_verified(std::int64_t step) const { return is_due(step, verify_every_); }

 private:
  std::int64_t last_step_, energies_every_, trajectory_every_, checkpoint_every_,
      observables_every_, observables_from_, verify_every_, most_steps_;
};

}  // namespace nfold::setup
