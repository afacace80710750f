// Events of a run by step number, never by time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "input/settings.hpp"

namespace nfold::setup {

/// True if an event with this interval is due; 0: never.
[[nodiscard]] inline bool is_due(std::int64_t step, std::int64_t every) {
  return every > 0 && step % every == 0;
}

/// Returns the end (> step) of a block that starts at `step`: `latest` or the next multiple of an
/// interval, fewer steps if the block is verified. Intervals of 0 have no multiples.
[[nodiscard]] std::int64_t block_end(std::int64_t step, std::int64_t latest,
                                     std::initializer_list<std::int64_t> intervals,
                                     std::int64_t verify_every);

/// Returns warnings of intervals and equilibrations beyond dynamics.steps, with which nothing or
/// only the start is recorded.
[[nodiscard]] std::vector<std::string> schedule_warnings(const input::Settings& settings);

/// Returns the steps in some tenths of a second, after which signals, limits and the display are
/// checked.
[[nodiscard]] std::int64_t max_block_steps(std::int64_t residues, bool is_on_gpu);

struct DueEvents {
  bool energies = false, trajectory = false, observables = false;
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
  /// `next_gather` (> step), or the most steps between checks of signals and the display.
  [[nodiscard]] std::int64_t next_block_end(
      std::int64_t step, std::int64_t next_gather = std::numeric_limits<std::int64_t>::max()) const;

 private:
  std::int64_t last_step_;
  input::OutputSettings output_;
  std::int64_t observables_every_, observables_from_, verify_every_, most_steps_;
};

}  // namespace nfold::setup
