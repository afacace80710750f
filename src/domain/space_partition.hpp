// Partitioners in space: recursive coordinate bisection and the Hilbert curve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "comm/communicator.hpp"
#include "domain/partition.hpp"
#include "system/box.hpp"
#include "system/state.hpp"

namespace nfold::domain {

// Both take the positions and the work of all residues by id, and give the same partition on every
// rank. A periodic axis is opened where an eighth of it is nearly empty (else at the origin), so
// that a droplet or slab across the border stays whole. A rank may get no residue; if `speed`
// (ranks) is given, work is in proportion. Both throw std::invalid_argument for work below 0 or not
// finite, for fewer than one rank, and if positions and work differ in number.

/// Cuts the residues recursively into two sets of equal work per rank, across the axis along which
/// their work is spread furthest (between a tenth and nine tenths of it, so that vapour does not
/// count); any number of ranks. As long as a set is of several nodes, it is cut between nodes. Ties
/// are broken by id.
[[nodiscard]] Ownership recursive_bisection(const system::Box& box,
                                            std::span<const system::FixedPosition> positions,
                                            std::span<const double> work, int rank_count,
                                            std::span<const double> speed = {},
                                            std::span<const int> node = {});

/// Consecutive residues known to one rank; those of all ranks follow each other.
struct KnownResidues {
  int first_id = 0;
  std::span<const system::FixedPosition> positions;
  std::span<const double> work;
};
/// Makes the partition of recursive_bisection(), on every rank, if each rank knows only its part of
/// the residues. Collective.
[[nodiscard]] Ownership distributed_bisection(const comm::Communicator& communicator,
                                              const system::Box& box, const KnownResidues& known,
                                              int rank_count, std::span<const double> speed = {},
                                              std::span<const int> node = {});

/// Cuts the Hilbert curve through cubic cells, 2^16 along the longest extent, into pieces of equal
/// work.
[[nodiscard]] Ownership hilbert_curve(const system::Box& box,
                                      std::span<const system::FixedPosition> positions,
                                      std::span<const double> work, int rank_count,
                                      std::span<const double> speed = {},
                                      std::span<const int> node = {});

}  // namespace nfold::domain
