// Work of a residue: counted pairs, terms and integration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// Costs in units of one pair of the neighbour list. Rough, since only ratios matter. cost_fit.hpp
/// fits them to measured times.
struct WorkCosts {
  double pair = 1, charged_pair = 1;
  double residue = 20;  ///< integration
  double term = 1;      ///< times the cost of its kind
  double ghost = 4;     ///< for other ranks' residues: packing, sending, sorting
};

/// Cost of a ghost on a GPU, including its part of the list search and blocks that wait for it:
/// measured on two H200 that share a condensate of 10^6 residues.
inline constexpr double ghost_cost_on_gpu = 24;

/// (residues) Counted work in units of one pair of the neighbour list: bonded terms, contacts, and
/// a constant for pairs and integration. For use without positions.
[[nodiscard]] std::vector<double> counted_work(const topology::Topology& topology);

/// (residues) Counted work with pairs in place of the constant: the neighbours within
/// short_range.cutoff_nm + skin and, for a charged residue, the charged ones within
/// electrostatics.cutoff_nm + skin. Expected numbers from the occupancy of cells half as wide.
/// Linear in the residues (1 s for 10^6) up to 2 x 10^6 per rank; above, one residue of every few
/// consecutive ones is sampled. The same on every rank. positions: of all residues, by id.
[[nodiscard]] std::vector<double> counted_work(const topology::Topology& topology,
                                               std::span<const system::FixedPosition> positions,
                                               double skin_nm, const WorkCosts& costs = {});

/// (residues from first_id on) Counted work if each rank knows the positions of some consecutive
/// residues, and all ranks together know all. Collective.
[[nodiscard]] std::vector<double> counted_work(const comm::Communicator& communicator,
                                               const topology::Topology& topology, int first_id,
                                               std::span<const system::FixedPosition> positions,
                                               double skin_nm, const WorkCosts& costs = {});

/// (positions) Expected neighbours within range_nm (nearest images, without the residue itself), if
/// residues were spread evenly within each cell of half the range.
[[nodiscard]] std::vector<double> expected_neighbours(
    const system::Box& box, std::span<const system::FixedPosition> positions, double range_nm);
/// (positions) Expected neighbours of the residues from first_id on, if each rank knows the
/// positions of some. Above sampled_per_rank positions per rank, one of every few consecutive ones
/// is sampled and stands for the others. Collective.
[[nodiscard]] std::vector<double> sampled_neighbours(
    const comm::Communicator& communicator, const system::Box& box, std::int64_t first_id,
    std::span<const system::FixedPosition> positions, double range_nm,
    std::int64_t sampled_per_rank = 2'000'000);

}  // namespace nfold::domain
