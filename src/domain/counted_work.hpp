// What a residue costs: pairs, terms and integration, counted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::domain {

/// What counts for how much, in units of one pair of the neighbour list; rough, since only ratios
/// matter. cost_fit.hpp fits them to measured seconds.
struct WorkCosts {
  double pair = 1, charged_pair = 1;
  double residue = 20;  ///< integration
  double term = 1;      ///< times what its kind counts for
  double ghost = 4;     ///< of other ranks' residues: packing, sending and sorting in one
};

/// (residues) Counted work in units of one pair of the neighbour list: bonded terms, contacts,
/// and a constant for pairs and integration. For when positions are not known.
[[nodiscard]] std::vector<double> counted_work(const topology::Topology& topology);

/// The same with pairs in place of the constant: the neighbours within short_range.cutoff_nm + skin
/// and, of a charged residue, the charged ones within electrostatics.cutoff_nm + skin. Expected
/// numbers from the occupancy of cells half as wide; linear in the residues (1 s for 10^6) up to
/// 2 x 10^6 of each rank, of more by one of each few that follow each other. The same on every
/// rank. Positions of all residues, by id.
[[nodiscard]] std::vector<double> counted_work(const topology::Topology& topology,
                                               std::span<const system::FixedPosition> positions,
                                               double skin_nm, const WorkCosts& costs = {});

/// Collective: the same of the residues from first_id on, where each rank knows the positions of
/// some consecutive ones, and all of them together of all.
[[nodiscard]] std::vector<double> counted_work(const comm::Communicator& communicator,
                                               const topology::Topology& topology, int first_id,
                                               std::span<const system::FixedPosition> positions,
                                               double skin_nm, const WorkCosts& costs = {});

/// (positions) Neighbours expected within range_nm (nearest images, itself not counted), as if
/// residues were spread evenly within each cell of half the range.
[[nodiscard]] std::vector<double> expected_neighbours(
    const system::Box& box, std::span<const system::FixedPosition> positions, double range_nm);
/// Collective: the same of positions of residues from first_id on, of which each rank has some.
/// Where they are more than so many of each rank, one of each few that follow each other is looked
/// at, as if the others were where it is.
[[nodiscard]] std::vector<double> about_expected_neighbours(
    const comm::Communicator& communicator, const system::Box& box, std::int64_t first_id,
    std::span<const system::FixedPosition> positions, double range_nm,
    std::int64_t looked_at_of_rank = 2'000'000);

}  // namespace nfold::domain
