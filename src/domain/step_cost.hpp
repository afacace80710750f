// What a step takes, predicted from counted numbers: what maps of residues are compared by.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/partition.hpp"
#include "topology/topology.hpp"

namespace nfold::domain {

/// Measured coefficients of one kind of rank.
struct StepCost {
  double seconds_per_work = 0;  ///< of one pair of the neighbour list
  double ghost_work = 0;        ///< of one ghost, in such pairs, its bytes on their way among it
  double exchange_seconds = 0;  ///< of an exchange with one rank, however little travels
  double peer_seconds = 0;      ///< for each further rank
  double launch_seconds = 0;    ///< of a step without residues
};

/// Of ranks of one node. On a CPU: one core with AVX2 each, and MPI. On a GPU: one H200 each, and
/// peer memory. A pair of a condensate model costs more than a term of the go model is counted for.
[[nodiscard]] StepCost step_cost(const topology::Topology& topology, bool on_gpu);

/// What one rank has to do in a step.
struct RankDemand {
  double work = 0;  ///< counted, of its residues and of terms that others compute too
  std::int64_t ghosts = 0;
  int peers = 0;  ///< ranks that it exchanges rows with
};

/// Of the slowest rank. speed: (ranks) of each one, of which the mean has the coefficients; empty:
/// equal.
[[nodiscard]] double predicted_step_seconds(const StepCost& cost, std::span<const RankDemand> ranks,
                                            std::span<const double> speed = {});

/// (ranks) Work of ends that a rank does not own, of terms that it computes for one that it does.
[[nodiscard]] std::vector<double> repeated_work(const topology::Topology& topology,
                                                const Ownership& owner, int rank_count);

/// Native contacts whose residues have two owners.
[[nodiscard]] std::int64_t contacts_cut(const topology::Topology& topology, const Ownership& owner);

}  // namespace nfold::domain
