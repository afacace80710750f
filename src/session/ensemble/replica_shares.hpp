// Assignment of replicas to ranks, balanced by measured speed.
// SPDX-License-Identifier: BSD-3-Clause
//
// A replica's noise is addressed by its number, and a rank that decides an exchange of states has
// the energies of both replicas: the assignment changes no bit of the result, and may depend on a
// clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/splits.hpp"

namespace nfold::ensemble {

/// Consecutive replicas on consecutive ranks.
struct ReplicaShares {
  std::vector<int> first{0};  ///< (ranks + 1) first replica of each rank, then the number of all
  [[nodiscard]] int first_of(int rank) const { return first[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int count_of(int rank) const { return first_of(rank + 1) - first_of(rank); }
  [[nodiscard]] int rank_of(int replica) const;
  [[nodiscard]] std::vector<std::int64_t> counts() const;
};
[[nodiscard]] ReplicaShares to_shares(std::span<const std::int64_t> counts);

/// Conditions for moving replicas.
struct ReplicaBalanceSettings {
  core::SplitStrategy strategy = core::SplitStrategy::lowest_latency;
  double least_gain = 1.1;  ///< ratio of the slowest rank's time before and after
  double margin = 1.5;      ///< time gained until the end over the time of the move
  double measurement_seconds =
      2;             ///< computing time between two measurements, so that a hiccup counts little
  int patience = 2;  ///< consecutive measurements that call for a move
  int longest_rest = 64;  ///< largest number of measurements ignored after moves that did not help
};

/// Balance of replicas over the ranks by measured times. All ranks pass the same numbers and so
/// decide alike.
class ReplicaBalance {
 public:
  struct Rank {
    double score = 100;
    std::optional<std::int64_t> memory_bytes;  ///< memory available for replicas
    /// Cost of a step by number of replicas, in any unit; empty: proportional to the number.
    std::vector<core::TimeStep> cost_steps;
  };
  /// ranks: (ranks). bytes_per_replica: on a rank's device. Throws std::invalid_argument like
  /// core::split().
  ReplicaBalance(const ReplicaBalanceSettings& settings, std::vector<Rank> ranks, int replicas,
                 double bytes_per_replica);

  [[nodiscard]] const ReplicaShares& shares() const { return shares_; }
  /// Describes the assignment and its reason, for the log.
  [[nodiscard]] std::string describe_shares() const;
  /// Sets Rank::cost_steps of each rank, once replicas are created.
  void set_costs(std::vector<std::vector<core::TimeStep>> by_rank);

  struct Times {
    std::span<const double> busy_seconds;  ///< (ranks) computing time since the last call
    std::int64_t steps = 0;                ///< steps in that time
    std::int64_t steps_left = 0;           ///< remaining steps of the run
    double move_seconds = 0;               ///< time of the last creation of replicas
  };
  /// Returns a line for the log if shares() has changed, else an empty string.
  [[nodiscard]] std::string rebalance(const Times& times);

 private:
  [[nodiscard]] core::DeviceSpeed device_speed(std::size_t rank, double seconds_per_step) const;
  [[nodiscard]] core::Split split_by(std::span<const double> seconds_per_step) const;
  void evaluate_last_move(double slowest);

  ReplicaBalanceSettings settings_;
  std::vector<Rank> ranks_;
  core::SharedWork work_;
  core::Split split_;  // split that determines the shares
  ReplicaShares shares_;
  std::vector<double> busy_seconds_;  // (ranks) since the last measurement
  std::int64_t steps_ = 0;
  int consecutive_requests_ = 0, rest_ = 0, next_rest_ = 1;
  double expected_step_seconds_ =
      0;  // time per step [s] that would show that the last move helped; 0: none
};

}  // namespace nfold::ensemble
