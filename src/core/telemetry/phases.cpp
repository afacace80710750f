// Names of phases, and extrapolation from the timed steps to all steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/telemetry/phases.hpp"

#include <algorithm>
#include <numeric>

namespace nfold::telemetry {

const char* phase_name(Phase phase) {
  static constexpr std::array<const char*, phase_count> names{
      "start",  "steps",  "pair",    "bonded", "integrate", "pack",       "exchange",
      "lists",  "plan",   "device",  "wait",   "migrate",   "checkpoint", "analysis",
      "output", "frames", "results", "ledger", "join",      "idle",       "other"};
  return names[to_index(phase)];
}

PhaseSeconds seconds_of_phases(const PhaseSums& sums) {
  constexpr double second = 1e9;  // [ns]
  PhaseSeconds seconds{};
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    seconds[phase] = static_cast<double>(sums.own[phase]) / second;
  }
  const auto attributed =
      std::accumulate(sums.own.begin(), sums.own.end(), std::int64_t{0}) +
      std::accumulate(sums.sampled.begin(), sums.sampled.end(), std::int64_t{0});
  seconds[to_index(Phase::other)] +=
      static_cast<double>(std::max<std::int64_t>(0, sums.wall - attributed)) / second;
  const auto clocked = static_cast<double>(
      std::accumulate(sums.sampled.begin(), sums.sampled.end(), std::int64_t{0}));
  if (clocked <= 0) return seconds;
  double& steps = seconds[to_index(Phase::steps)];
  const double all = steps + clocked / second;
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    seconds[phase] += all * static_cast<double>(sums.sampled[phase]) / clocked;
  }
  steps = 0;
  return seconds;
}

void distribute_device_time(PhaseSeconds& seconds, const PhaseSeconds& weights,
                            double busy_fraction) {
  const double all_weights = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (all_weights <= 0) return;
  double& device = seconds[to_index(Phase::device)];
  const double busy = device * std::clamp(busy_fraction, 0.0, 1.0);
  seconds[to_index(Phase::wait)] += device - busy;
  device = 0;
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    seconds[phase] += busy * weights[phase] / all_weights;
  }
}

}  // namespace nfold::telemetry
