// How many residues each rank would copy of others, by a map.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/partition.hpp"
#include "system/box.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// (ranks) Residues that each would get as ghosts for being near (partners in terms not counted),
/// by cells as a halo plan has them. Positions of all residues, by id; linear but for a sort.
[[nodiscard]] std::vector<std::int64_t> count_ghosts(
    const system::Box& box, std::span<const system::FixedPosition> positions,
    const Ownership& owner, int rank_count, double range_nm);

}  // namespace nfold::domain
