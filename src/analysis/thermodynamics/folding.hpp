// Folding thermodynamics of an ensemble: heat capacity, folding temperature, F(Q).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/sampling_limits.hpp"
#include "analysis/thermodynamics/reduced_potential.hpp"

namespace nfold::thermodynamics {

/// Samples after equilibration: (samples) in order of time, all replicas of a time together.
struct FoldingSamples {
  std::vector<system::ThermodynamicState> states;  ///< a LadderPath
  std::int64_t replicas = 0, contacts = 0, residues = 0;
  std::vector<double> potential_kj_mol;  ///< in the state of the sample
  std::vector<double> contact_kj_mol;    ///< native contact energy at strength 1; empty: all 0
  std::vector<double> variable_nm;       ///< variable of the umbrellas; empty: no umbrellas
  ScreeningNodes screening;              ///< set if the states' electrostatics differ
  std::vector<double> screened;          ///< (samples, nodes) see EnergyParts
  /// (columns), (samples) each: further quantities of replicas; empty: none
  std::vector<std::vector<double>> quantities;
  std::vector<std::int32_t> formed_contacts, state;
  [[nodiscard]] std::size_t size() const { return state.size(); }
  [[nodiscard]] EnergyParts energy(std::size_t sample) const;
  /// Returns the samples of consecutive states, both ends included: at each time, every ladder has
  /// one sample of each.
  [[nodiscard]] FoldingSamples of_states(std::size_t first, std::size_t last) const;
  [[nodiscard]] StatePotential state_potential(const system::ThermodynamicState& any) const {
    return StatePotential(any, screening);
  }
  /// True if there are samples, of all replicas at each time.
  [[nodiscard]] bool are_whole() const {
    return size() > 0 && replicas > 0 && size() % static_cast<std::size_t>(replicas) == 0;
  }
};

/// Value and its standard error, from resampling time intervals and ladders.
struct Estimate {
  double value = 0, error = 0;
};

/// Position of the maximum of the heat capacity along a ladder, within the statistical error.
enum class PeakPosition {
  inside,
  at_lower_end,  ///< may also be there or beyond: the transition is at this end at most
  at_upper_end,
  nowhere,             ///< above neither end by more than the error
  too_few_transitions  ///< inside, but with too few folding or unfolding transitions
};

/// Maximum between the ends of a ladder, compared with them.
struct Peak {
  /// Heat capacity at the maximum minus that at the end [kJ/mol/kelvin].
  Estimate over_lower_end, over_upper_end;
  /// Fraction of bootstrap sets with their maximum at this end.
  double share_at_lower_end = 0, share_at_upper_end = 0;

  static constexpr double fewest_errors = 2, largest_share = 0.1;
  [[nodiscard]] PeakPosition position() const;
};

/// Transitions of replicas between the basins of Q, in any state.
struct Transitions {
  std::int64_t foldings = 0, unfoldings = 0;
  [[nodiscard]] bool are_enough() const {
    return std::min(foldings, unfoldings) >= analysis::fewest_transitions;
  }
};
/// Counts transitions. A replica is native above two thirds of the way from the lower to the higher
/// of these fractions, unfolded below one third, and otherwise keeps its basin.
[[nodiscard]] Transitions count_transitions(const FoldingSamples& samples, double unfolded_fraction,
                                            double native_fraction);

/// Range of Q.
struct QRange {
  double from = 0, to = 0;
  [[nodiscard]] bool is_empty() const { return !(from < to); }
};

/// Folding thermodynamics from MBAR over all states; energies are potential energies. The grid
/// follows the ladder's path, by its coordinate.
struct FoldingThermodynamics {
  std::vector<double> reduced_free_energy;       ///< (states) f_k, the first 0
  std::vector<system::ThermodynamicState> grid;  ///< (grid)
  /// (grid) including the kinetic part 3 N k / 2; from energy fluctuations, at the local screening
  /// of charges.
  std::vector<double> heat_capacity_kj_mol_kelvin, heat_capacity_error_kj_mol_kelvin;
  std::vector<double> mean_energy_kj_mol, mean_native_fraction, native_fraction_error;  ///< (grid)
  /// State of the heat capacity maximum, and its coordinate along the ladder.
  system::ThermodynamicState folding_state;
  Estimate folding_coordinate;
  Peak peak;  ///< the maximum compared with the ends of the ladder
  PeakPosition peak_position = PeakPosition::nowhere;
  Transitions transitions;              ///< between the mean Q of both ends of the ladder
  std::vector<double> native_fraction;  ///< (bins) centres
  /// -kT ln p(Q) [kJ/mol], minimum 0, infinite for unsampled bins: (states, bins) and, for
  /// at_folding, (bins) at the folding state.
  std::vector<double> free_energy_kj_mol, at_folding_kj_mol;
  /// (bins) of at_folding; infinite if sampled in less than half of the bootstrap sets.
  std::vector<double> at_folding_error_kj_mol;
  Estimate native_fraction_at_folding;  ///< mean Q at the folding state
  /// Unsampled range in the middle third between the mean Q of both ends of the ladder.
  QRange unseen;
  /// At the folding state, over the higher basin; 0: no barrier; NaN: not sampled.
  Estimate barrier_kt;
  std::size_t samples_used = 0;

  /// True if the maximum is inside; else the folding state is only a bound.
  [[nodiscard]] bool maximum_is_inside() const { return peak_position == PeakPosition::inside; }
};

/// Converts weights of bins to -kT ln p [kJ/mol]: minimum 0, infinite for weight 0.
void to_free_energy(std::vector<double>& weight, double kelvin);

/// Highest barrier of a profile (bins), infinite for unsampled bins. Height: over the higher of the
/// minima on both sides; 0 if there is none.
struct Barrier {
  double height = 0;
  int top = -1, left = 0, right = 0;  ///< bins of the top and of the minima
};
[[nodiscard]] Barrier find_barrier(const std::vector<double>& profile);

/// Mean Q of ladders started native against those started unfolded; the two alternate.
struct StartComparison {
  double largest_difference = 0;  ///< difference of the mean Q in one state
  std::size_t at_state = 0;
  static constexpr double tolerance = 0.05;
  /// True if no difference exceeds the tolerance.
  [[nodiscard]] bool agree() const { return largest_difference <= tolerance; }
};
[[nodiscard]] StartComparison compare_starts(const FoldingSamples& samples);
/// Compares consecutive time intervals of equal length; empty with fewer times than intervals.
[[nodiscard]] std::vector<StartComparison> compare_starts_over_time(const FoldingSamples& samples,
                                                                    std::size_t stretches);

/// Returns the factor by which a run must be longer for both starts to agree. It assumes that their
/// difference keeps decaying as over the intervals (>= 2) of a run whose first fraction `left_out`
/// is discarded, and that the same fraction is discarded again. Infinite if the difference does not
/// decay.
[[nodiscard]] double run_length_factor(const std::vector<StartComparison>& stretches,
                                       double left_out);

/// Computes everything. Throws analysis::AnalysisError if neighbouring states do not overlap,
/// std::invalid_argument without samples. The seed determines the resampling.
[[nodiscard]] FoldingThermodynamics folding_thermodynamics(const FoldingSamples& samples,
                                                           std::uint64_t seed);

}  // namespace nfold::thermodynamics
