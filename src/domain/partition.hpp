// Who owns which residue: partitioners make the map from residue to rank that the engine takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "domain/counted_work.hpp"

namespace nfold::domain {

/// owner[id]: the rank that owns residue id.
using Ownership = std::vector<int>;

/// Consecutive residues to consecutive ranks, equal sums of work, or in proportion to `speed`
/// (ranks) where it is given. A rank may get none. As all partitioners, throws
/// std::invalid_argument for work below 0 or not finite, without ranks, and for a speed that is not
/// above 0 or not one for each rank.
[[nodiscard]] Ownership residue_ranges(std::span<const double> work, int rank_count,
                                       std::span<const double> speed = {});

/// Any map, from a seed: for tests of everything that must not depend on the map.
[[nodiscard]] Ownership random_owners(int residue_count, int rank_count, std::uint64_t seed);

/// 64-bit hash of a map, the same on every machine.
[[nodiscard]] std::uint64_t checksum_of(const Ownership& owner);

/// (ranks) Work of each rank's residues; owner[id] < rank_count.
[[nodiscard]] std::vector<double> loads_of(std::span<const double> work, const Ownership& owner,
                                           int rank_count);

/// Largest load of a rank over the mean one, >= 1; 1 where there is no work. owner[id] <
/// rank_count.
[[nodiscard]] double imbalance_of(std::span<const double> work, const Ownership& owner,
                                  int rank_count);

/// Work as whole numbers with a sum of about 2^44, so that sums depend on no order, and the part of
/// it that each rank is to get. Throws as partitioners do.
struct WorkShares {
  WorkShares(std::span<const double> work, int rank_count, std::span<const double> speed);
  /// Collective: the same where each rank has the work of some consecutive residues, in the ranks'
  /// order. `of` and residues' ids are then those of this rank.
  WorkShares(const comm::Communicator& communicator, std::span<const double> work, int rank_count,
             std::span<const double> speed);
  /// Rank in whose part of the total the middle of this residue's work lies, `before` being the
  /// shares of all residues before it.
  [[nodiscard]] int rank_at(std::uint64_t before, std::size_t id) const;

  std::vector<std::uint64_t> of;  ///< (residues)
  std::uint64_t total = 0;
  std::vector<double> part_before;  ///< (ranks + 1) 0 to 1: part of the total before each rank's
};

}  // namespace nfold::domain
