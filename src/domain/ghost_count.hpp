// Number of ghosts of each rank for a given partition.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/partition.hpp"
#include "system/box.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// (ranks) Ghosts of each rank by distance (without partners in terms), with the cells of the halo
/// plan. positions: of all residues, by id. Linear except for a sort.
[[nodiscard]] std::vector<std::int64_t> count_ghosts(
    const system::Box& box, std::span<const system::FixedPosition> positions,
    const Ownership& owner, int rank_count, double range_nm);

}  // namespace nfold::domain
