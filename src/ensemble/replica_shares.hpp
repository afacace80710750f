// Which replicas each rank has, and when others should have them: by measured speed.
// SPDX-License-Identifier: BSD-3-Clause
//
// A replica's noise is addressed by its number, and who decides a trade of states has the energies
// of both: so who computes a replica enters no bit of the result. It may follow a clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/splits.hpp"

namespace nfold::ensemble {

/// Consecutive replicas for consecutive ranks.
struct ReplicaShares {
  std::vector<int> first{0};  ///< (ranks + 1) of each rank, then the number of all
  [[nodiscard]] int first_of(int rank) const { return first[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int count_of(int rank) const { return first_of(rank + 1) - first_of(rank); }
  [[nodiscard]] int rank_of(int replica) const;
  [[nodiscard]] std::vector<std::int64_t> counts() const;
};
[[nodiscard]] ReplicaShares shares_of_counts(std::span<const std::int64_t> counts);

/// What moving replicas must bring.
struct ReplicaBalanceSettings {
  plan::SplitStrategy strategy = plan::SplitStrategy::lowest_latency;
  double least_gain = 1.1;  ///< of the slowest rank's time, before over after
  double margin = 1.5;      ///< seconds gained until the end over those of the move
  double look_seconds = 2;  ///< of computing between two looks, so that a hiccup counts little
  int patience = 2;         ///< looks in a row that ask for a move
  int longest_rest = 64;    ///< looks after moves that did not help, at most
};

/// Watches the ranks' times and says when replicas should move. All ranks are given the same
/// numbers and so decide alike.
class ReplicaBalance {
 public:
  struct Rank {
    double score = 100;
    std::optional<std::int64_t> memory_bytes;  ///< for replicas
    /// Of a step of so many replicas, in any unit; empty: in proportion to their number.
    std::vector<plan::TimeStep> cost_steps;
  };
  /// (ranks). bytes_per_replica: on a rank's device. std::invalid_argument as plan::split().
  ReplicaBalance(const ReplicaBalanceSettings& settings, std::vector<Rank> ranks, int replicas,
                 double bytes_per_replica);

  [[nodiscard]] const ReplicaShares& shares() const { return shares_; }
  /// How they came about, for the log.
  [[nodiscard]] std::string shares_in_words() const;
  /// Once replicas are made: Rank::cost_steps of each rank.
  void learn_costs(std::vector<std::vector<plan::TimeStep>> by_rank);

  struct Times {
    std::span<const double> busy_seconds;  ///< (ranks) of computing since the last call
    std::int64_t steps = 0;                ///< in which they were
    std::int64_t steps_left = 0;           ///< of the run
    double move_seconds = 0;               ///< that the last making of replicas took
  };
  /// A line for the log where shares() has changed, else nothing.
  [[nodiscard]] std::string look(const Times& times);

 private:
  [[nodiscard]] plan::DeviceSpeed device_of(std::size_t rank, double seconds_per_step) const;
  [[nodiscard]] plan::Split split_by(std::span<const double> seconds_per_step) const;
  void judge_last_move(double slowest);

  ReplicaBalanceSettings settings_;
  std::vector<Rank> ranks_;
  plan::SharedWork work_;
  plan::Split split_;  // of which the shares are
  ReplicaShares shares_;
  std::vector<double> busy_seconds_;  // (ranks) since the last look
  std::int64_t steps_ = 0;
  int uneven_in_a_row_ = 0, rest_ = 0, next_rest_ = 1;
  double hoped_for_ = 0;  // seconds a step that would show that the last move helped; 0: none
};

}  // namespace nfold::ensemble
