// Whether a new partition pays: from the loads of all ranks, with hysteresis.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/partition.hpp"

namespace nfold::domain {

// How run/load_watch.cpp and run/repartition.cpp use this, between two blocks of steps:
//   1. all_gather each rank's busy seconds and take the largest step_seconds of all ranks, so that
//      all of them assess the same numbers and come to one decision (timers differ, decisions must
//      not);
//   2. memory = watch(settings, loads, step_seconds, memory); if !memory.wants_partition: go on;
//   3. rank 0 makes a new map with speeds_of() the loads, counts its ghosts, and calls weigh()
//      (run/map_search.cpp), beside the steps where that takes long;
//   4. if it pays, set the new owners; in either case memory = tried(memory).
// Nothing here enters the bits of a result.

struct RebalanceSettings {
  double hot = 0.8;        ///< a rank is hot that computes for more than this part of a step
  double cold = 0.5;       ///< and cold below this one
  double threshold = 0.3;  ///< largest over mean busy time, less one, that counts as uneven
  double even = 0.05;      ///< and that counts as even
  int patience = 2;        ///< uneven assessments in a row before a partition is wanted
  int longest_rest = 64;   ///< assessments to wait after attempts that did not help, at most
  double margin = 1.5;     ///< the gain must exceed this times the cost of the move
  double ghost_work = 4;   ///< of one ghost, in pairs
};

/// One rank's share of the steps since the last assessment.
struct RankLoad {
  double busy_seconds = 0;  ///< of computing in a step, mean; waiting for others is not busy
  double work = 0;          ///< counted work of its residues
  std::int64_t ghosts = 0;
};

/// What an assessment leaves to the next one.
struct RebalanceMemory {
  bool wants_partition = false;
  int uneven_in_a_row = 0;
  int askew_in_a_row = 0;   ///< not even
  int bound_in_a_row = 0;   ///< by communication
  bool is_mending = false;  ///< from an uneven load until it is even, or an attempt fails
  int moves_in_a_row = 0;   ///< without an even load between
  int rest = 0;             ///< assessments still to wait
  int next_rest = 1;        ///< after the next attempt; doubles until the load was even once
};

/// The memory after an assessment. A partition is wanted when some rank is hot while another one is
/// cold, or the busiest is over the mean by more than the threshold, `patience` times in a row and
/// not within a rest. What is left of it is mended at each assessment until the load is even; a
/// load that never was so uneven is mended where it stays askew four times as long and a rank is
/// hot. Where all are cold, communication bounds the step and moving work is no use: nothing is
/// wanted then, and mending ends where that comes twice in a row, for one slow interval may be of
/// longer skins that are tried after a move.
[[nodiscard]] RebalanceMemory watch(const RebalanceSettings& settings,
                                    std::span<const RankLoad> loads, double step_seconds,
                                    RebalanceMemory memory);

/// Whether one of the next assessments is likely to want a partition, which then is not to be long
/// in coming.
[[nodiscard]] bool is_alert(const RebalanceSettings& settings, const RebalanceMemory& memory);

/// The memory after a partition was tried. If it was not taken, or the sixth in a row left the load
/// uneven: a rest, twice as long as the one before.
[[nodiscard]] RebalanceMemory tried(const RebalanceSettings& settings, RebalanceMemory memory,
                                    bool was_taken);

/// Residues for which a rank's device has room, by what those that it has take there now: lists may
/// grow by a twentieth, and a tenth of what is free stays so.
[[nodiscard]] std::int64_t most_residues(std::int64_t residues, std::int64_t used_bytes,
                                         std::int64_t free_bytes);
/// A rank that has more residues than room for them, the first such; -1 where there is none, or all
/// ranks together lack room.
[[nodiscard]] int short_of_memory(std::span<const std::int64_t> residues,
                                  std::span<const std::int64_t> most);

/// Mean busy time over the largest: 1 where all are as busy; 1 where none is.
[[nodiscard]] double balance_of(std::span<const RankLoad> loads);

/// A map that might be taken.
struct Candidate {
  std::vector<double> work;          ///< (ranks)
  std::vector<std::int64_t> ghosts;  ///< (ranks)
  double move_seconds = 0;           ///< measured at the last move, or at the start
  std::int64_t steps_ahead = 0;      ///< over which it should pay: those left, or fewer
};

struct Verdict {
  bool pays = false;
  double step_seconds = 0;           ///< predicted
  double gain_seconds = 0;           ///< over steps_ahead
  double balance = 1;                ///< predicted
  std::vector<double> busy_seconds;  ///< (ranks) predicted
};

/// Predicts the step with the candidate: each rank's measured seconds per unit of work (a ghost
/// counting as settings.ghost_work of them) times what it would get, the slowest rank and the rest
/// of the step as they are. It pays if the gain over steps_ahead exceeds margin times move_seconds.
/// Throws std::invalid_argument unless all three have one entry for each rank.
[[nodiscard]] Verdict weigh(const RebalanceSettings& settings, std::span<const RankLoad> loads,
                            double step_seconds, const Candidate& candidate);

/// (ranks) How much work each rank does in a second beside its ghosts', for partitioners: shares in
/// proportion would be done at once if ghosts went with them. A rank with next to no work has the
/// mean speed. Empty where nothing was measured.
[[nodiscard]] std::vector<double> speeds_of(std::span<const RankLoad> loads);

/// Speeds for the next candidate, of a map whose predicted seconds on each rank are given: who
/// would be busier than the mean gets less.
[[nodiscard]] std::vector<double> corrected(std::vector<double> speeds,
                                            std::span<const double> predicted_seconds);

inline constexpr double ghost_work = 4;  ///< packing, sending and sorting in one, in pairs
/// The same on a GPU, with lists searched among ghosts and blocks that wait for them: measured
/// where two H200 share a condensate of 10^6 residues.
inline constexpr double ghost_work_on_gpu = 24;

}  // namespace nfold::domain
