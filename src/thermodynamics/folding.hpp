// What an ensemble of folding replicas tells: heat capacity, folding temperature, free energy of Q.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/sampling_limits.hpp"
#include "thermodynamics/reduced_potential.hpp"

namespace nfold::thermodynamics {

/// Samples after equilibration: (samples) in order of time, all replicas of a time together.
struct FoldingSamples {
  std::vector<replicas::ThermodynamicState> states;  ///< a LadderPath
  std::int64_t replicas = 0, contacts = 0, residues = 0;
  std::vector<double> potential_kj_mol;  ///< in the state that the sample is of
  std::vector<double> contact_kj_mol;    ///< native contacts' at strength 1; empty: all 0
  std::vector<double> variable_nm;       ///< what umbrellas act on; empty: there are none
  ScreeningNodes screening;              ///< where the states' electrostatics differ
  std::vector<double> screened;          ///< (samples, nodes) see EnergyParts
  /// (species), (samples) each: means over chains; empty: not known
  std::vector<std::vector<double>> radius_of_gyration_nm;
  std::vector<std::int32_t> formed_contacts, state;
  [[nodiscard]] std::size_t size() const { return state.size(); }
  [[nodiscard]] EnergyParts energy(std::size_t sample) const;
  /// Samples of consecutive states, both ends included: at each time every ladder has one of each.
  [[nodiscard]] FoldingSamples of_states(std::size_t first, std::size_t last) const;
  [[nodiscard]] PotentialIn potential_in(const replicas::ThermodynamicState& any) const {
    return PotentialIn(any, screening);
  }
  /// Of all replicas at some times; else there is nothing to average.
  [[nodiscard]] bool are_whole() const {
    return size() > 0 && replicas > 0 && size() % static_cast<std::size_t>(replicas) == 0;
  }
};

/// A number and the standard error that resampling whole stretches of time and ladders gives it.
struct Estimate {
  double value = 0, error = 0;
};

/// Where the heat capacity has its maximum along a ladder, as far as the samples can tell.
enum class PeakPlace {
  inside,
  at_lower_end,  ///< it may as well be there or below: what folds does so there at most
  at_upper_end,
  nowhere,             ///< above neither end by more than its error
  too_few_transitions  ///< inside, but replicas folded or unfolded too seldom
};

/// A maximum between the ends, held against them.
struct Peak {
  /// Heat capacity at the maximum less that at the end [kJ/mol/kelvin].
  Estimate over_lower_end, over_upper_end;
  /// Of the ladders drawn again: how many have their maximum at this end.
  double share_at_lower_end = 0, share_at_upper_end = 0;

  static constexpr double fewest_errors = 2, largest_share = 0.1;
  [[nodiscard]] PeakPlace place() const;
};

/// How often replicas went from one basin of Q to the other, whatever their states were.
struct Transitions {
  std::int64_t foldings = 0, unfoldings = 0;
  [[nodiscard]] bool are_enough() const {
    return std::min(foldings, unfoldings) >= analysis::fewest_transitions;
  }
};
/// A replica is native above two thirds of the way from the lower to the higher of these fractions,
/// unfolded below a third, and else what it was before.
[[nodiscard]] Transitions count_transitions(const FoldingSamples& samples, double unfolded_fraction,
                                            double native_fraction);

/// Range of Q.
struct QRange {
  double from = 0, to = 0;
  [[nodiscard]] bool is_empty() const { return !(from < to); }
};

/// All of it from MBAR over all states; energies are potential ones. The grid goes along the
/// ladder's path, by its coordinate.
struct FoldingThermodynamics {
  std::vector<double> reduced_free_energy;         ///< (states) f_k, the first 0
  std::vector<replicas::ThermodynamicState> grid;  ///< (grid)
  /// (grid) with the kinetic part, 3 N k / 2; by fluctuations of the energy, at the screening that
  /// charges have there.
  std::vector<double> heat_capacity_kj_mol_kelvin, heat_capacity_error_kj_mol_kelvin;
  std::vector<double> mean_energy_kj_mol, mean_native_fraction, native_fraction_error;  ///< (grid)
  /// Where the heat capacity has its maximum, and its coordinate along the ladder.
  replicas::ThermodynamicState folding_state;
  Estimate folds_at;
  Peak peak;  ///< the maximum, beside the ends of the ladder
  PeakPlace peak_place = PeakPlace::nowhere;
  Transitions transitions;              ///< between the mean Q at the two ends of the ladder
  std::vector<double> native_fraction;  ///< (bins) centres
  /// (states, bins) and, in `at_folding`, (bins) at the folding state: -kT ln p(Q) [kJ/mol],
  /// the lowest 0; infinite where nothing was seen.
  std::vector<double> free_energy_kj_mol, at_folding_kj_mol;
  /// (bins) of at_folding; infinite where less than half of the samples drawn again were.
  std::vector<double> at_folding_error_kj_mol;
  Estimate native_fraction_there;  ///< mean Q at the folding state
  /// What no sample has in the middle third between the mean Q at the two ends of the ladder.
  QRange unseen;
  /// At the folding state, over the higher of its two basins; 0: none; not a number: not seen.
  Estimate barrier_kt;
  std::size_t samples_used = 0;

  /// Else the folding state is a bound, and what is told of it says little.
  [[nodiscard]] bool maximum_is_inside() const { return peak_place == PeakPlace::inside; }
};

/// Mean Q of ladders that began native against those that began unfolded, ladders in turn.
struct StartsCompared {
  double largest_difference = 0;  ///< of the mean Q in one state
  std::size_t at_state = 0;
  static constexpr double tolerance = 0.05;
  /// Both sides have seen the same: no difference above the tolerance.
  [[nodiscard]] bool agree() const { return largest_difference <= tolerance; }
};
[[nodiscard]] StartsCompared compare_starts(const FoldingSamples& samples);
/// The same of consecutive stretches of time, of equal length; empty with fewer times than that.
[[nodiscard]] std::vector<StartsCompared> compare_starts_over_time(const FoldingSamples& samples,
                                                                   std::size_t stretches);

/// How many times as long a run has to be until both starts agree, if their difference decays as it
/// did over the stretches (>= 2) of a run whose first `left_out` (0 to 1) they leave out, and if as
/// much is left out again; infinite if it does not decay.
[[nodiscard]] double times_as_long_to_agree(const std::vector<StartsCompared>& stretches,
                                            double left_out);

/// Throws analysis::AnalysisError where states share too few samples, std::invalid_argument without
/// samples. Resampling is by the seed.
[[nodiscard]] FoldingThermodynamics folding_thermodynamics(const FoldingSamples& samples,
                                                           std::uint64_t seed);

}  // namespace nfold::thermodynamics
