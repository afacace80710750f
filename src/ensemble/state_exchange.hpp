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

/// Those from `first` on, before `last`.
struct LadderRange {
  int first = 0, last = 0;
  bool operator==(const LadderRange&) const = default;
};

/// Of ladders that several ranks have, what one of them does.
struct LadderShare {
  LadderRange decided;  ///< it knows the energies of these
  LadderRange counted;  ///< among them; each ladder is counted by one rank
  bool operator==(const LadderShare&) const = default;
};

/// What a replica has come through.
struct ReplicaWalk {
  std::int32_t state = 0, came_from = 0;  ///< came_from: the end it saw last, as words of its own
  std::int64_t round_trips = 0;
};

/// What attempts came to.
struct ExchangeNews {
  std::vector<ReplicaWalk> walks;    ///< (replicas of the ladders counted)
  std::vector<std::int64_t> counts;  ///< to be summed over ranks
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
  /// (replicas) index of the state that each has now; of ladders that are not known, an old one.
  [[nodiscard]] const std::vector<int>& state_of() const { return state_of_; }
  /// std::logic_error for a replica of a ladder that is not known.
  [[nodiscard]] const replicas::ThermodynamicState& thermodynamic_of(int replica) const;
  [[nodiscard]] const thermodynamics::ScreeningNodes& screening() const { return nodes_; }
  /// (states) What each weighs energies by.
  [[nodiscard]] const std::vector<thermodynamics::PotentialIn>& potentials() const {
    return potentials_;
  }

  /// Even and odd neighbours in turn. (replicas) energies of the current coordinates. A function of
  /// them, the seed and the number of attempts so far.
  void attempt(const std::vector<thermodynamics::EnergyParts>& energy);
  /// The same of some ladders, with the energies of their replicas alone. Other ladders are not
  /// known from then on, nor what was counted: until learn(). std::logic_error for another share
  /// before that.
  void attempt(const std::vector<thermodynamics::EnergyParts>& energy, const LadderShare& share);
  /// All ladders are known, and all that was counted.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  /// Since it was whole.
  [[nodiscard]] ExchangeNews news() const;
  /// Makes it whole by the walks of all replicas and the sums of counts.
  void learn(const ExchangeNews& of_all);

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
  /// std::logic_error unless it is whole.
  [[nodiscard]] std::vector<std::int64_t> saved() const;
  /// std::invalid_argument if the words are not of such ladders.
  void restore(const std::vector<std::int64_t>& words);

 private:
  void decide(int ladder, const thermodynamics::EnergyParts* energy, bool counts);
  void note_ends(LadderRange ladders);
  void count_flow(LadderRange ladders);
  void make_potentials();
  void become_whole();
  [[nodiscard]] std::vector<std::int64_t> counts() const;  // of pairs, then of the flow
  void require_whole(const char* what) const;
  [[nodiscard]] LadderRange all() const { return {0, ladders()}; }
  [[nodiscard]] std::size_t first_replica(int ladder) const {
    return static_cast<std::size_t>(ladder) * ladder_.size();
  }

  std::vector<replicas::ThermodynamicState> ladder_;
  std::vector<thermodynamics::PotentialIn> potentials_;  // (states)
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
  bool is_whole_ = true;
  LadderShare share_;                        // of attempts since it was
  std::vector<std::int64_t> counts_before_;  // counts() when it was
};

}  // namespace nfold::ensemble
