// Replica exchange in temperature: which replica has which bath, and when two of them trade.
// SPDX-License-Identifier: BSD-3-Clause
//
// Sugita and Okamoto, Chem. Phys. Lett. 314, 141 (1999). Replicas trade temperatures, never
// coordinates, so nothing but energies travels, and a replica's noise stays its own.
#pragma once

#include <cstdint>
#include <vector>

namespace nfold::ensemble {

/// Of `count` temperatures from the lowest to the highest with equal ratios, which gives equal
/// acceptance where the heat capacity is constant. std::invalid_argument unless 0 < lowest <=
/// highest and count > 0.
[[nodiscard]] std::vector<double> geometric_ladder(double lowest_kelvin, double highest_kelvin,
                                                   int count);

/// Temperatures between the same ends with which, by the acceptance found between neighbours, all
/// neighbours would trade equally often: equal steps of the length that acceptance measures,
/// erfc^-1 of it (Rathore, Chopra and de Pablo, J. Chem. Phys. 122, 024111 (2005)). acceptance has
/// one entry fewer.
[[nodiscard]] std::vector<double> equalised_ladder(const std::vector<double>& temperatures_kelvin,
                                                   const std::vector<double>& acceptance);

/// Temperatures, and the step from which on they were those.
struct LadderSince {
  std::int64_t step = 0;
  std::vector<double> temperatures_kelvin;
};

/// What one ladder's neighbours did, of all ladders together.
struct PairStatistics {
  std::int64_t attempts = 0, accepted = 0;
  [[nodiscard]] double acceptance() const {
    return attempts > 0 ? static_cast<double>(accepted) / static_cast<double>(attempts) : 0;
  }
};

/// Replicas that an attempt left at a temperature, by the end that each had seen last.
struct FlowStatistics {
  std::int64_t from_lowest = 0, from_highest = 0;
};

/// Some ladders of the same temperatures, side by side and independent of each other. Replica r is
/// of ladder r / temperatures and begins at temperature r % temperatures.
class TemperatureExchange {
 public:
  /// std::invalid_argument unless temperatures are positive and ascending and ladders > 0.
  TemperatureExchange(std::vector<double> temperatures_kelvin, int ladders, std::uint64_t seed);

  [[nodiscard]] int replicas() const { return static_cast<int>(state_of_.size()); }
  [[nodiscard]] int temperatures() const { return static_cast<int>(temperatures_kelvin_.size()); }
  [[nodiscard]] int ladders() const { return replicas() / temperatures(); }
  [[nodiscard]] const std::vector<double>& temperatures_kelvin() const {
    return temperatures_kelvin_;
  }
  /// (replicas) index of the temperature that each has now.
  [[nodiscard]] const std::vector<int>& state_of() const { return state_of_; }
  [[nodiscard]] double temperature_of(int replica) const;

  /// Even and odd neighbours in turn. (replicas) potential energies [kJ/mol] of the current
  /// coordinates. A function of them, the seed and the number of attempts so far.
  void attempt(const std::vector<double>& potential_kj_mol);

  /// What makes neighbours trade equally often, by what they did since the last change; ends stay.
  [[nodiscard]] std::vector<double> tuned_ladder() const;
  /// Replicas keep their states, which now have other temperatures; all statistics begin anew.
  /// std::invalid_argument for another number of temperatures or such that do not ascend.
  void change_ladder(std::int64_t step, std::vector<double> temperatures_kelvin);
  /// All ladders so far, the current one last.
  [[nodiscard]] const std::vector<LadderSince>& history() const { return history_; }

  [[nodiscard]] std::int64_t attempts() const { return attempts_; }
  /// (temperatures - 1)
  [[nodiscard]] const std::vector<PairStatistics>& pairs() const { return pairs_; }
  /// Ways from the lowest temperature to the highest and back, of all replicas.
  [[nodiscard]] std::int64_t round_trips() const;
  /// (replicas) the same of each.
  [[nodiscard]] const std::vector<std::int64_t>& round_trips_of() const { return round_trips_; }

  /// (temperatures) since the last change.
  [[nodiscard]] const std::vector<FlowStatistics>& flow() const { return flow_; }

  /// All that changes, as integers, for a checkpoint; temperatures by their bits.
  [[nodiscard]] std::vector<std::int64_t> saved() const;
  /// std::invalid_argument if the words are not of such ladders.
  void restore(const std::vector<std::int64_t>& words);

 private:
  void note_ends();

  std::vector<double> temperatures_kelvin_;
  std::uint64_t seed_;
  std::int64_t attempts_ = 0;
  std::vector<int> state_of_;  // (replicas)
  std::vector<int> holder_;    // (ladders, temperatures) replica at each
  std::vector<PairStatistics> pairs_;
  std::vector<std::int64_t> round_trips_;  // (replicas)
  std::vector<char> came_from_;            // (replicas) see CameFrom
  std::vector<FlowStatistics> flow_;       // (temperatures)
  std::vector<LadderSince> history_;
};

}  // namespace nfold::ensemble
