// Replica exchange: which replica samples which thermodynamic state, and when two of them trade.
// SPDX-License-Identifier: BSD-3-Clause
//
// Sugita and Okamoto, Chem. Phys. Lett. 314, 141 (1999), in temperature; Fukunishi, Watanabe and
// Takada, J. Chem. Phys. 116, 9058 (2002), in the energy function. Replicas trade states, never
// coordinates, so nothing but energies travels, and a replica's noise stays its own.
#pragma once

#include <cstdint>
#include <vector>

#include "thermodynamics/reduced_potential.hpp"

namespace nfold::ensemble {

/// Of `count` temperatures from the lowest to the highest with equal ratios, which gives equal
/// acceptance where the heat capacity is constant. std::invalid_argument unless 0 < lowest <=
/// highest and count > 0.
[[nodiscard]] std::vector<double> geometric_ladder(double lowest_kelvin, double highest_kelvin,
                                                   int count);

/// States between the same ends with which, by the acceptance found between neighbours, all
/// neighbours would trade equally often: equal steps of the length that acceptance measures,
/// erfc^-1 of it (Rathore, Chopra and de Pablo, J. Chem. Phys. 122, 024111 (2005)). acceptance has
/// one entry fewer. The charges of each are those of the state before: what belongs to its
/// temperature and salt is for the caller to set.
[[nodiscard]] std::vector<replicas::ThermodynamicState> equalised_ladder(
    const std::vector<replicas::ThermodynamicState>& ladder, const std::vector<double>& acceptance);

/// States, and the step from which on they were those.
struct LadderSince {
  std::int64_t step = 0;
  std::vector<replicas::ThermodynamicState> states;
};

/// What one ladder's neighbours did, of all ladders together.
struct PairStatistics {
  std::int64_t attempts = 0, accepted = 0;
  [[nodiscard]] double acceptance() const {
    return attempts > 0 ? static_cast<double>(accepted) / static_cast<double>(attempts) : 0;
  }
};

/// Replicas that an attempt left at a state, by the end that each had seen last.
struct FlowStatistics {
  std::int64_t from_first = 0, from_last = 0;
};

/// Some ladders of the same states, side by side and independent of each other. Replica r is of
/// ladder r / states and begins at state r % states.
class StateExchange {
 public:
  /// nodes: of the energies that attempt() is given. std::invalid_argument unless the states are a
  /// LadderPath and ladders > 0.
  StateExchange(std::vector<replicas::ThermodynamicState> ladder, int ladders, std::uint64_t seed,
                thermodynamics::ScreeningNodes nodes = {});

  [[nodiscard]] int replicas() const { return static_cast<int>(state_of_.size()); }
  [[nodiscard]] int states() const { return static_cast<int>(ladder_.size()); }
  [[nodiscard]] int ladders() const { return replicas() / states(); }
  /// (states)
  [[nodiscard]] const std::vector<replicas::ThermodynamicState>& ladder() const { return ladder_; }
  /// (replicas) index of the state that each has now.
  [[nodiscard]] const std::vector<int>& state_of() const { return state_of_; }
  [[nodiscard]] const replicas::ThermodynamicState& thermodynamic_of(int replica) const;
  [[nodiscard]] const thermodynamics::ScreeningNodes& screening() const { return nodes_; }
  /// (states) What each weighs energies by.
  [[nodiscard]] std::vector<thermodynamics::PotentialIn> potentials() const;

  /// Even and odd neighbours in turn. (replicas) energies of the current coordinates. A function of
  /// them, the seed and the number of attempts so far.
  void attempt(const std::vector<thermodynamics::EnergyParts>& energy);

  /// What makes neighbours trade equally often, by what they did since the last change; ends stay.
  [[nodiscard]] std::vector<replicas::ThermodynamicState> tuned_ladder() const;
  /// Replicas keep the numbers of their states, which now are others; all statistics begin anew.
  /// std::invalid_argument for another number of states or such that are no path.
  void change_ladder(std::int64_t step, std::vector<replicas::ThermodynamicState> ladder);
  /// All ladders so far, the current one last.
  [[nodiscard]] const std::vector<LadderSince>& history() const { return history_; }

  [[nodiscard]] std::int64_t attempts() const { return attempts_; }
  /// (states - 1)
  [[nodiscard]] const std::vector<PairStatistics>& pairs() const { return pairs_; }
  /// Ways from the first state to the last and back, of all replicas.
  [[nodiscard]] std::int64_t round_trips() const;
  /// (replicas) the same of each.
  [[nodiscard]] const std::vector<std::int64_t>& round_trips_of() const { return round_trips_; }

  /// (states) since the last change.
  [[nodiscard]] const std::vector<FlowStatistics>& flow() const { return flow_; }

  /// All that changes, as integers, for a checkpoint; what states are by their bits.
  [[nodiscard]] std::vector<std::int64_t> saved() const;
  /// std::invalid_argument if the words are not of such ladders.
  void restore(const std::vector<std::int64_t>& words);

 private:
  void note_ends();

  std::vector<replicas::ThermodynamicState> ladder_;
  std::uint64_t seed_;
  thermodynamics::ScreeningNodes nodes_;
  std::int64_t attempts_ = 0;
  std::vector<int> state_of_;  // (replicas)
  std::vector<int> holder_;    // (ladders, states) replica at each
  std::vector<PairStatistics> pairs_;
  std::vector<std::int64_t> round_trips_;  // (replicas)
  std::vector<char> came_from_;            // (replicas) see CameFrom
  std::vector<FlowStatistics> flow_;       // (states)
  std::vector<LadderSince> history_;
};

}  // namespace nfold::ensemble
