// Decision on repartitioning from the loads of all ranks, with hysteresis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/partition.hpp"

namespace nfold::domain {

// Use by session/run/load_watch.cpp and session/run/repartition.cpp, between two blocks of steps:
//   1. all_gather each rank's busy seconds and take the largest step_seconds of all ranks, so that
//      all of them assess the same numbers and come to one decision (timers differ, decisions must
//      not);
//   2. memory = assess_loads(settings, loads, step_seconds, memory); if !memory.needs_repartition:
//   continue;
//   3. rank 0 makes a new partition with rank_speeds() the loads, counts its ghosts, and calls
//      weigh() (session/run/partition_search.cpp), concurrently with the steps if that takes long;
//   4. if it pays, set the new owners; in either case memory = tried(memory).
// Nothing here affects the bits of a result.

struct RebalanceSettings {
  double hot = 0.8;        ///< fraction of a step that a hot rank is busy for more than
  double cold = 0.5;       ///< fraction of a step that a cold rank is busy for less than
  double threshold = 0.3;  ///< largest over mean busy time, less one: imbalance of an uneven load
  double even = 0.05;      ///< imbalance of an even load, at most
  int patience = 2;        ///< uneven assessments in a row before a repartition is requested
  int longest_rest = 64;   ///< maximum of assessments skipped after attempts that did not help
  double margin = 1.5;     ///< the gain must exceed this multiple of the cost of the migration
  double ghost_work = WorkCosts().ghost;  ///< cost of one ghost, in pairs
};

/// Load of one rank in the steps since the last assessment.
struct RankLoad {
  double busy_seconds = 0;  ///< mean computing time in a step, without waits for other ranks
  double work = 0;          ///< counted work of its residues
  std::int64_t ghosts = 0;
};

/// Result of an assessment of the ranks' loads. Those after `requested` follow a request.
enum class RebalanceOutcome {
  balanced,                ///< no rank exceeds the mean by more than `even`
  below_threshold,         ///< imbalanced by less than the threshold
  waiting,                 ///< uneven, but not yet `patience` times in a row
  bound_by_communication,  ///< all ranks are cold
  resting,                 ///< an attempt failed lately
  not_timed,               ///< a rank has timed no steps yet
  requested,
  gain_below_cost,
  no_better_partition,
  no_partition_fits,  ///< into the ranks' memory
  moved,
  count
};

/// State carried from one assessment to the next.
struct RebalanceMemory {
  bool needs_repartition = false;
  RebalanceOutcome outcome = RebalanceOutcome::balanced;  ///< last assessment's
  int uneven_in_a_row = 0;
  int imbalanced_in_a_row = 0;  ///< imbalanced by more than `even`, with a hot rank
  int bound_in_a_row = 0;       ///< bound by communication
  bool is_rebalancing = false;  ///< from an uneven load until it is even, or an attempt fails
  int moves_in_a_row = 0;       ///< without an even load in between
  int rest = 0;                 ///< assessments still to skip
  int next_rest = 1;            ///< after the next attempt; doubles until the load was even once
};

/// Returns the state after an assessment. A repartition is requested when some rank is hot while
/// another one is cold, or the busiest one exceeds the mean by more than the threshold, `patience`
/// times in a row and not within a rest. The remaining imbalance is reduced at each assessment
/// until the load is even; a load that never was that uneven is repartitioned if it stays
/// imbalanced four times as long and a rank is hot. If all ranks are cold, communication bounds the
/// step and moving work is no use: no repartition is requested, and after two such assessments in a
/// row the attempts end. One slow interval may come from longer skins that are tried after a
/// migration.
[[nodiscard]] RebalanceMemory assess_loads(const RebalanceSettings& settings,
                                           std::span<const RankLoad> loads, double step_seconds,
                                           RebalanceMemory memory);

/// Returns after how many assessments of a small imbalance in a row a repartition is requested.
[[nodiscard]] int slow_patience(const RebalanceSettings& settings);

/// True if one of the next assessments is likely to request a repartition.
[[nodiscard]] bool is_alert(const RebalanceSettings& settings, const RebalanceMemory& memory);

/// Returns the state after an attempt. A rest, twice as long as the one before, follows if the
/// partition was not taken or was the sixth in a row to leave the load uneven.
[[nodiscard]] RebalanceMemory tried(const RebalanceSettings& settings, RebalanceMemory memory,
                                    bool was_taken);

/// Returns the residues that fit on a rank's device, from the bytes that its present ones use.
/// Reserves a twentieth for the growth of lists and a tenth of the free memory.
[[nodiscard]] std::int64_t residue_capacity(std::int64_t residues, std::int64_t used_bytes,
                                            std::int64_t free_bytes);
/// Returns the first rank with more residues than fit; -1 if there is none or all ranks together
/// lack capacity.
[[nodiscard]] int overfull_rank(std::span<const std::int64_t> residues,
                                std::span<const std::int64_t> most);

/// Returns the mean busy time over the largest: 1 if all ranks are equally busy or none is.
[[nodiscard]] double load_balance(std::span<const RankLoad> loads);

/// Partition under consideration.
struct Candidate {
  std::vector<double> work;          ///< (ranks)
  std::vector<std::int64_t> ghosts;  ///< (ranks)
  double move_seconds = 0;       ///< cost of a migration, measured at the last one or at the start
  std::int64_t steps_ahead = 0;  ///< steps over which it should pay: those left, or fewer
};

struct PartitionEstimate {
  bool pays = false;
  double step_seconds = 0;           ///< estimate
  double gain_seconds = 0;           ///< over steps_ahead
  double balance = 1;                ///< estimate
  std::vector<double> busy_seconds;  ///< (ranks) estimate
};

/// Estimates the step with the candidate: each rank's measured seconds per unit of work (a ghost
/// counting as settings.ghost_work of them) times its new work, for the slowest rank, plus the rest
/// of the step unchanged. It pays if the gain over steps_ahead exceeds margin times move_seconds.
/// Throws std::invalid_argument unless all three have one entry for each rank.
[[nodiscard]] PartitionEstimate weigh(const RebalanceSettings& settings,
                                      std::span<const RankLoad> loads, double step_seconds,
                                      const Candidate& candidate);

/// (ranks) Work per second of each rank, for partitioners. The time includes its ghosts: work in
/// proportion takes equal time if ghosts scale with it. A rank with next to no work has the mean
/// speed. Empty if nothing was measured.
[[nodiscard]] std::vector<double> rank_speeds(std::span<const RankLoad> loads);

/// Returns the speeds for the next candidate from the estimated seconds of each rank with the last
/// one: ranks busier than the mean get less work.
[[nodiscard]] std::vector<double> correct_speeds(std::vector<double> speeds,
                                                 std::span<const double> predicted_seconds);

}  // namespace nfold::domain
