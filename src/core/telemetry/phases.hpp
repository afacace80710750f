// Phases that a run's time is divided into, and their sums on a rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace nfold::telemetry {

enum class Phase : std::uint8_t {
  start,       ///< from the input to the first step
  steps,       ///< time within steps that no other phase covers
  pair,        ///< pair forces
  bonded,      ///< forces of terms and of biases
  integrate,   ///< drift, kick and noise
  pack,        ///< packing and unpacking halo rows
  exchange,    ///< sending ghosts; in an ensemble, replica exchange
  lists,       ///< neighbour lists
  plan,        ///< halo plan
  device,      ///< host waits for its own GPU, which computes steps
  wait,        ///< wait for other ranks
  migrate,     ///< residues or replicas sent to other ranks
  checkpoint,  ///< part that steps wait for
  analysis,    ///< observables
  output,      ///< gathering the state, computing and writing energies
  frames,      ///< writing frames of trajectories
  results,     ///< at the end: analysis, tables, closing of files
  ledger,      ///< in a batch: claims, draws and rows of targets
  join,        ///< in a batch: wait for the other ranks of a target
  idle,        ///< in a batch: no target is left for this rank
  other        ///< anything else, such as reading clocks and handling signals
};
inline constexpr std::size_t phase_count = static_cast<std::size_t>(Phase::other) + 1;

/// True for parts of each step, which are too short to be timed in every step.
[[nodiscard]] constexpr bool is_part_of_step(Phase phase) {
  return phase >= Phase::pair && phase <= Phase::exchange;
}

[[nodiscard]] constexpr std::size_t to_index(Phase phase) {
  return static_cast<std::size_t>(phase);
}
/// Returns "pair" and so on; lives as long as the program.
[[nodiscard]] const char* phase_name(Phase phase);

using PhaseNanoseconds = std::array<std::int64_t, phase_count>;
using PhaseSeconds = std::array<double, phase_count>;

/// Sums of one rank [ns]; plain numbers, which can be sent.
struct PhaseSums {
  PhaseNanoseconds own{};      ///< in spans of a phase, without nested spans of other phases
  PhaseNanoseconds sampled{};  ///< parts of steps, in the timed steps
  PhaseNanoseconds waited{};   ///< waits for other ranks, by the outermost phase around them
  PhaseNanoseconds whole{};    ///< outermost spans with all that is nested in them, waits too
  std::int64_t wall = 0;       ///< from the first moment to the last
  std::int64_t sampled_steps = 0;
};

/// Returns the seconds of each phase, which add up to the wall time. The time of steps that is not
/// known exactly is divided among their parts in the proportions of the timed steps; without timed
/// steps it stays `steps`.
[[nodiscard]] PhaseSeconds seconds_of_phases(const PhaseSums& sums);

/// Divides the `device` phase of a rank whose steps its GPU computed, where host clocks see no
/// parts. It becomes parts of steps in proportion to their weights, which are the times of the
/// parts in all steps [any unit], and wait, which is the fraction of `device` that was not busy.
/// busy_fraction: 0 to 1.
void distribute_device_time(PhaseSeconds& seconds, const PhaseSeconds& weights,
                            double busy_fraction);

}  // namespace nfold::telemetry
