// How long a run will take on this computer, by a short measurement of the real engine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "config/settings.hpp"
#include "setup/species_setup.hpp"
#include "system/state.hpp"

namespace nfold::run {

struct RunToMeasure {
  const config::Settings& settings;
  const setup::SystemSetup& system;
  const system::State& start;   ///< all residues, with velocities
  std::int64_t steps_done = 0;  ///< of a run that goes on
  int threads = 0;              ///< as of `nfold run --threads`
};

/// "time here: about 3 min 20 s on 1 rank x 2 threads (...)", or why not. Writes no file and takes
/// a second, at most six, in a process of its own: Kokkos starts but once in each. Empty
/// where no step is left.
[[nodiscard]] std::string run_time_in_words(const RunToMeasure& run);

/// What was measured of a run.
struct MeasuredSpeed {
  double minimiser_seconds_per_step = 0;  ///< 0: not measured
  double seconds_per_step = 0;            ///< of one replica, all threads at work; 0: not measured
  double measured_seconds = 0;
  std::int64_t replicas = 1;  ///< that were measured together
  int threads = 1;
  bool is_disturbed = false;  ///< by other programs; then a single thread was measured
};
/// The line of this speed; for tests too.
[[nodiscard]] std::string in_words(const MeasuredSpeed& speed, const config::Settings& settings,
                                   std::int64_t steps_done);

/// "45 s", "3 min 20 s", "2 h 10 min", "12 days"; of at least 0.
[[nodiscard]] std::string span_in_words(double seconds);

}  // namespace nfold::run
