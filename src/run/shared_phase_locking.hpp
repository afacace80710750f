// Rows of a phase-locking matrix on each rank.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "comm/communicator.hpp"
#include "run/shared_accumulator.hpp"
#include "topology/topology.hpp"

namespace nfold::run {

/// Bytes of all sums together.
[[nodiscard]] std::int64_t phase_locking_bytes(const topology::Topology& topology);

/// Samples of which the sums have room.
inline constexpr std::int64_t most_phase_samples = std::int64_t{1} << 30U;

/// Each rank makes the phases of a block of residues; then all have all phases, and each adds to
/// some rows of the matrix. Null for a system without pseudo-dihedrals. The topology must outlive
/// it. Not collective.
[[nodiscard]] std::unique_ptr<SharedAccumulator> make_phase_locking(
    const comm::Communicator& communicator, const topology::Topology& topology);

}  // namespace nfold::run
