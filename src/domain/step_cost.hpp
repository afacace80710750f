// Estimate of the step time from counted numbers, for comparing partitions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/partition.hpp"
#include "model/topology/topology.hpp"

namespace nfold::domain {

/// Measured coefficients of one kind of rank.
struct StepCost {
  double seconds_per_work = 0;  ///< for one pair of the neighbour list
  double ghost_work = 0;        ///< for one ghost, in pairs, including its transfer
  double exchange_seconds = 0;  ///< for an exchange with one rank, without data
  double peer_seconds = 0;      ///< for each further rank
  double launch_seconds = 0;    ///< for a step without residues
};

/// Returns the coefficients for ranks of one node. On a CPU: one core with AVX2 each, and MPI. On a
/// GPU: one H200 each, and peer memory. A pair of a condensate model costs more than a counted term
/// of the Go model.
[[nodiscard]] StepCost step_cost(const topology::Topology& topology, bool on_gpu);

/// Work of one rank in a step.
struct RankStepWork {
  double work = 0;  ///< counted work of its residues and of terms that others compute too
  std::int64_t ghosts = 0;
  int peers = 0;  ///< ranks that it exchanges rows with
};

/// Returns the estimate for the slowest rank. speed: (ranks) relative to the mean, which the
/// coefficients apply to; empty: equal.
[[nodiscard]] double step_time_estimate(const StepCost& cost, std::span<const RankStepWork> ranks,
                                        std::span<const double> speed = {});

/// (ranks) Work of term ends that a rank does not own, in terms that it computes for ends that it
/// owns.
[[nodiscard]] std::vector<double> repeated_work(const topology::Topology& topology,
                                                const Ownership& owner, int rank_count);

/// Returns the number of native contacts whose residues have two owners.
[[nodiscard]] std::int64_t contacts_cut(const topology::Topology& topology, const Ownership& owner);

}  // namespace nfold::domain
