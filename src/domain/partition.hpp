// Ownership of residues, and partitioners that assign residues to ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "domain/counted_work.hpp"
#include "domain/rank_levels.hpp"

namespace nfold::domain {

/// owner[id]: the rank that owns residue id.
using Ownership = std::vector<int>;

/// Assigns consecutive residues to consecutive ranks of RankLevels, with equal sums of work or in
/// proportion to `speed` (ranks) if given. A rank may get none. All partitioners but
/// random_owners() divide over nodes first (node: (ranks), or empty for one node) and throw
/// std::invalid_argument for work below 0 or not finite, and like RankLevels.
[[nodiscard]] Ownership residue_ranges(std::span<const double> work, int rank_count,
                                       std::span<const double> speed = {},
                                       std::span<const int> node = {});

/// Returns random owners from a seed: for tests of results that must not depend on the partition.
[[nodiscard]] Ownership random_owners(int residue_count, int rank_count, std::uint64_t seed);

/// Returns a 64-bit hash of a partition, the same on every machine.
[[nodiscard]] std::uint64_t partition_checksum(const Ownership& owner);

/// (ranks) Work of each rank's residues. Requires owner[id] < rank_count.
[[nodiscard]] std::vector<double> rank_loads(std::span<const double> work, const Ownership& owner,
                                             int rank_count);

/// Returns the largest load of a rank over the mean load, >= 1; 1 without any work. Requires
/// owner[id] < rank_count.
[[nodiscard]] double load_imbalance(std::span<const double> work, const Ownership& owner,
                                    int rank_count);

/// Returns the number of native contacts whose residues have two owners.
[[nodiscard]] std::int64_t contacts_cut(const topology::Topology& topology, const Ownership& owner);

/// Work as integers with a sum of about 2^44, so that sums do not depend on the order, and the part
/// of it that each rank should get. Throws like the partitioners.
struct WorkShares {
  WorkShares(std::span<const double> work, RankLevels levels);
  /// Shares if each rank has the work of some consecutive residues, in rank order. `of` and residue
  /// ids are then those of this rank. Collective.
  WorkShares(const comm::Communicator& communicator, std::span<const double> work,
             RankLevels levels);
  /// Returns the rank whose part of the total contains the middle of this residue's work. before:
  /// sum of the shares of all earlier residues.
  [[nodiscard]] int rank_at(std::uint64_t before, std::size_t id) const;

  std::vector<std::uint64_t> of;  ///< (residues)
  std::uint64_t total = 0;
  RankLevels levels;
};

}  // namespace nfold::domain
