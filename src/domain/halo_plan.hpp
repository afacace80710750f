// Who sends which residues to whom: the vocabulary of the halo and its plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// owned: residues this rank integrates. ghost: a copy of another rank's residue, read-only
/// between exchanges. export: an owned residue that is a ghost elsewhere.
struct HaloPlan {
  /// (ranks) Rows of owned residues that go to that rank, ascending; none to itself.
  std::vector<std::vector<int>> send_rows;
  /// (ranks) Ids that come from that rank, ascending, in the order in which they are sent.
  std::vector<std::vector<int>> receive_ids;
};

/// Residues that act on each other up to a distance: those with a mark, or all of them.
struct Reach {
  double range_nm = 0;
  std::span<const char> is_member;  ///< (owned rows), or empty: all residues on all ranks
};

/// Collective. `id` ascending and `position` are the owned residues' rows; `wanted` is
/// LocalTerms::wanted. Of each reach, every member whose nearest image is nearer than range_nm to
/// an owned member becomes a ghost, and so does every partner (others may as well); once, whatever
/// image is near, since the kernels find the nearest image themselves. With charged residues as a
/// reach of their own, neutral ones do not travel for a long electrostatic cutoff.
[[nodiscard]] HaloPlan make_halo_plan(const comm::Communicator& communicator,
                                      const topology::Box& box, std::span<const int> id,
                                      std::span<const system::FixedPosition> position,
                                      const std::vector<std::vector<int>>& wanted,
                                      std::span<const Reach> reaches);
/// The same with one reach, of all residues.
[[nodiscard]] HaloPlan make_halo_plan(const comm::Communicator& communicator,
                                      const topology::Box& box, std::span<const int> id,
                                      std::span<const system::FixedPosition> position,
                                      const std::vector<std::vector<int>>& wanted, double range_nm);

/// The rows of a rank: owned first, ascending by id; then the ghosts by their owner's rank and, of
/// one owner, ascending by id, so that what arrives needs no sorting in.
struct LocalRows {
  std::vector<int> id;  ///< (owned + ghosts)
  int owned = 0;
  /// (residue_count) row of each residue, -1 where it is neither owned nor ghost.
  [[nodiscard]] std::vector<int> row_of_id(int residue_count) const;
};
[[nodiscard]] LocalRows local_rows(std::span<const int> owned_ids, const HaloPlan& plan);

/// Routes of an exchange of bytes_per_row each: packed by rank on the sending side, ghost rows in
/// order (from the first ghost on) on the receiving side.
[[nodiscard]] std::vector<comm::Route> routes_of(const HaloPlan& plan, std::size_t bytes_per_row);

}  // namespace nfold::domain
