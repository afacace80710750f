// Estimate of a run's time on this computer, by a short measurement of the real engine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "input/settings.hpp"
#include "session/setup/species_setup.hpp"
#include "system/state.hpp"

namespace nfold::run {

struct RunToMeasure {
  const input::Settings& settings;
  const setup::SystemSetup& system;
  const system::State& start;   ///< all residues, with velocities
  std::int64_t steps_done = 0;  ///< steps already done, if the run is resumed
  int threads = 0;              ///< value of `nfold run --threads`
};

/// Returns "time here: about 3.33 min on 1 rank x 2 threads (...)", or why it was not measured;
/// empty if no step is left. Writes no file. Takes a second, at most six, in a child process,
/// because Kokkos initialises only once per process.
[[nodiscard]] std::string describe_run_time(const RunToMeasure& run);

/// Measured speed of a run.
struct MeasuredSpeed {
  double minimiser_seconds_per_step = 0;  ///< 0: not measured
  double seconds_per_step = 0;  ///< time of one replica, all threads at work; 0: not measured
  double measured_seconds = 0;
  std::int64_t replicas = 1;  ///< replicas that were measured together
  int threads = 1;
  bool is_disturbed =
      false;  ///< true if other programs disturbed it; then a single thread was measured
};
/// Returns the line that describes this speed; for tests too.
[[nodiscard]] std::string describe(const MeasuredSpeed& speed, const input::Settings& settings,
                                   std::int64_t steps_done);

}  // namespace nfold::run
