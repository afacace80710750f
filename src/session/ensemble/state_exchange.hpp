// Replica exchange: the thermodynamic state of each replica, and the exchange of states.
// SPDX-License-Identifier: BSD-3-Clause
//
// Sugita and Okamoto, Chem. Phys. Lett. 314, 141 (1999), in temperature; Fukunishi, Watanabe and
// Takada, J. Chem. Phys. 116, 9058 (2002), in the energy function. Replicas exchange states, never
// coordinates: only energies are sent, and a replica keeps its noise.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/thermodynamics/reduced_potential.hpp"

namespace nfold::ensemble {

/// Returns `count` temperatures from the lowest to the highest with equal ratios, which give equal
/// acceptance if the heat capacity is constant. Throws std::invalid_argument unless count > 0 and 0
/// < lowest < highest, or lowest = highest for count 1.
[[nodiscard]] std::vector<double> geometric_ladder(double lowest_kelvin, double highest_kelvin,
                                                   int count);

/// Returns states between the same ends with which all neighbours would exchange equally often, by
/// the acceptance measured between neighbours: equal steps of the length that acceptance measures,
/// erfc^-1 of it (Rathore, Chopra and de Pablo, J. Chem. Phys. 122, 024111 (2005)). acceptance:
/// (states - 1). The electrostatics of each state are copied from the old state below it; the
/// caller sets those of its temperature and salt.
[[nodiscard]] std::vector<system::ThermodynamicState> equalised_ladder(
    const std::vector<system::ThermodynamicState>& ladder, const std::vector<double>& acceptance);

/// Ladder, and the step from which it was used.
struct LadderEpoch {
  std::int64_t step = 0;
  std::vector<system::ThermodynamicState> states;
};

/// Exchanges between two neighbouring states, summed over all ladders.
struct PairStatistics {
  std::int64_t attempts = 0, accepted = 0;
  [[nodiscard]] double acceptance() const {
    return attempts > 0 ? static_cast<double>(accepted) / static_cast<double>(attempts) : 0;
  }
};

/// Replicas counted at a state after each attempt, by the end of the ladder visited last.
struct FlowStatistics {
  std::int64_t from_first = 0, from_last = 0;
};

/// Ladders from `first` to the one before `last`.
struct LadderRange {
  int first = 0, last = 0;
  bool operator==(const LadderRange&) const = default;
};

/// Ladders of one rank, if several ranks have ladders.
struct LadderShare {
  LadderRange decided;  ///< the rank knows the energies of these
  LadderRange counted;  ///< part of decided; each ladder is counted by one rank
  bool operator==(const LadderShare&) const = default;
};

/// Path of a replica along the states.
struct ReplicaWalk {
  std::int32_t state = 0, last_end = 0;  ///< last_end: end visited last, a LastEnd value
  std::int64_t round_trips = 0;
};

/// Changes by the attempts since the exchange was whole.
struct ExchangeChanges {
  std::vector<ReplicaWalk> walks;    ///< (replicas of the counted ladders)
  std::vector<std::int64_t> counts;  ///< counts to be summed over ranks
};

/// Ladders of the same states, side by side and independent of each other. Replica r belongs to
/// ladder r / states and begins at state r % states.
class StateExchange {
 public:
  /// nodes: of the energies that are passed to attempt(). Throws std::invalid_argument unless the
  /// states are a LadderPath and ladders > 0.
  StateExchange(std::vector<system::ThermodynamicState> ladder, int ladders, std::uint64_t seed,
                thermodynamics::ScreeningNodes nodes = {});

  [[nodiscard]] int replicas() const { return static_cast<int>(state_indices_.size()); }
  [[nodiscard]] int states() const { return static_cast<int>(ladder_.size()); }
  [[nodiscard]] int ladders() const { return replicas() / states(); }
  /// (states)
  [[nodiscard]] const std::vector<system::ThermodynamicState>& ladder() const { return ladder_; }
  /// (replicas) Index of each one's present state; outdated for ladders that are not known.
  [[nodiscard]] const std::vector<int>& state_indices() const { return state_indices_; }
  /// Throws std::logic_error for a replica of a ladder that is not known.
  [[nodiscard]] const system::ThermodynamicState& replica_state(int replica) const;
  [[nodiscard]] const thermodynamics::ScreeningNodes& screening() const { return nodes_; }
  /// (states) Reduced potential of each.
  [[nodiscard]] const std::vector<thermodynamics::StatePotential>& potentials() const {
    return potentials_;
  }

  /// Attempts exchanges of even and odd neighbours in turn. energy: (replicas) of the current
  /// coordinates. The result depends only on them, the seed and the number of attempts so far.
  void attempt(const std::vector<thermodynamics::EnergyParts>& energy);
  /// Attempts exchanges in some ladders, with the energies of their replicas only. Other ladders
  /// and all counts are unknown from then on, until apply_changes(). Throws std::logic_error for
  /// another share before that.
  void attempt(const std::vector<thermodynamics::EnergyParts>& energy, const LadderShare& share);
  /// True if all ladders and all counts are known.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  /// Returns the changes since it was whole.
  [[nodiscard]] ExchangeChanges changes() const;
  /// Makes it whole from the walks of all replicas and the sums of counts.
  void apply_changes(const ExchangeChanges& of_all);

  /// Returns the ladder with which neighbours would exchange equally often, by the exchanges since
  /// the last change; ends stay.
  [[nodiscard]] std::vector<system::ThermodynamicState> tuned_ladder() const;
  /// Changes the states. Replicas keep the indices of their states; all statistics begin anew.
  /// Throws std::invalid_argument if the number of states differs or they are no path.
  void change_ladder(std::int64_t step, std::vector<system::ThermodynamicState> ladder);
  /// All ladders so far, the current one last.
  [[nodiscard]] const std::vector<LadderEpoch>& history() const { return history_; }

  [[nodiscard]] std::int64_t attempts() const { return attempts_; }
  /// (states - 1)
  [[nodiscard]] const std::vector<PairStatistics>& pairs() const { return pairs_; }
  /// Paths from the first state to the last and back, of all replicas.
  [[nodiscard]] std::int64_t round_trips() const;
  /// (replicas) Round trips of each.
  [[nodiscard]] const std::vector<std::int64_t>& replica_round_trips() const {
    return round_trips_;
  }

  /// (states) Flow since the last change.
  [[nodiscard]] const std::vector<FlowStatistics>& flow() const { return flow_; }

  /// Returns all variables as integers, for a checkpoint, with the bits of the states' numbers.
  /// Throws std::logic_error unless it is whole.
  [[nodiscard]] std::vector<std::int64_t> saved() const;
  /// Throws std::invalid_argument if the words do not match these ladders.
  void restore(const std::vector<std::int64_t>& words);

 private:
  void decide(int ladder, const thermodynamics::EnergyParts* energy, bool counts);
  void note_ends(LadderRange ladders);
  void count_flow(LadderRange ladders);
  void make_potentials();
  void become_whole();
  [[nodiscard]] std::vector<std::int64_t> counts() const;  // pairs, then flow
  void require_whole(const char* what) const;
  [[nodiscard]] LadderRange all() const { return {0, ladders()}; }
  [[nodiscard]] std::size_t first_replica(int ladder) const {
    return static_cast<std::size_t>(ladder) * ladder_.size();
  }

  std::vector<system::ThermodynamicState> ladder_;
  std::vector<thermodynamics::StatePotential> potentials_;  // (states)
  std::uint64_t seed_;
  thermodynamics::ScreeningNodes nodes_;
  std::int64_t attempts_ = 0;
  std::vector<int> state_indices_;  // (replicas)
  std::vector<int> holder_;         // (ladders, states) replica at each
  std::vector<PairStatistics> pairs_;
  std::vector<std::int64_t> round_trips_;  // (replicas)
  std::vector<char> last_end_;             // (replicas) see LastEnd
  std::vector<FlowStatistics> flow_;       // (states)
  std::vector<LadderEpoch> history_;
  bool is_whole_ = true;
  LadderShare share_;                        // share of the attempts since it was whole
  std::vector<std::int64_t> counts_before_;  // counts() when it was last whole
};

}  // namespace nfold::ensemble
