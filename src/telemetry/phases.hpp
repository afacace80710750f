// What a run's time is spent on, and a rank's sums of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace nfold::telemetry {

enum class Phase : std::uint8_t {
  start,       ///< from the input to the first step
  steps,       ///< within steps, what no other phase names
  pair,        ///< pair forces
  bonded,      ///< forces of terms and of biases
  integrate,   ///< drift, kick and noise
  pack,        ///< rows of border residues into buffers and out of them
  exchange,    ///< sending ghosts; in an ensemble, states between replicas
  lists,       ///< neighbour lists
  plan,        ///< who sends which residues to whom
  device,      ///< the host waits for its own GPU, which computes steps
  wait,        ///< for other ranks
  migrate,     ///< residues or replicas to other ranks
  checkpoint,  ///< what of it steps wait for
  analysis,    ///< observables
  output,      ///< energies and frames: gathered and written
  ledger,      ///< of a batch: claims, draws and rows of targets
  join,        ///< of a batch: until all are there who share a target
  idle,        ///< of a batch: no target is left for this rank
  other        ///< what is none of these, as looks at clocks and signals
};
inline constexpr std::size_t phase_count = static_cast<std::size_t>(Phase::other) + 1;

/// Parts that each step has: too short to be clocked in all of them.
[[nodiscard]] constexpr bool is_part_of_step(Phase phase) {
  return phase >= Phase::pair && phase <= Phase::exchange;
}

[[nodiscard]] constexpr std::size_t place_of(Phase phase) {
  return static_cast<std::size_t>(phase);
}
/// "pair"; lives as long as the program.
[[nodiscard]] const char* phase_name(Phase phase);

using PhaseNanoseconds = std::array<std::int64_t, phase_count>;
using PhaseSeconds = std::array<double, phase_count>;

/// Of one rank; plain numbers, which may travel.
struct PhaseSums {
  PhaseNanoseconds own{};      ///< in spans of a phase, without those of other phases in them
  PhaseNanoseconds sampled{};  ///< of parts of steps, in the steps that were clocked
  PhaseNanoseconds waited{};   ///< for other ranks, by the outermost phase that it was in
  std::int64_t wall = 0;       ///< from the first moment to the last
  std::int64_t sampled_steps = 0;
};

/// Seconds of each phase, which add up to the wall time. What steps took beside what is known
/// exactly is shared out to their parts as clocked steps have them; without such, it stays `steps`.
[[nodiscard]] PhaseSeconds seconds_of_phases(const PhaseSums& sums);

/// The same of a rank whose steps its GPU computed, unseen by the host's clocks: `device` becomes
/// parts of steps by their weights, which are what each took in all steps [any unit], and wait,
/// which is what of `device` was not busy. busy_fraction: 0 to 1.
void share_out_device(PhaseSeconds& seconds, const PhaseSeconds& weights, double busy_fraction);

}  // namespace nfold::telemetry
