// Phase-locking matrix whose rows are distributed over the ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "comm/communicator.hpp"
#include "model/topology/topology.hpp"
#include "session/run/shared_accumulator.hpp"

namespace nfold::run {

/// Bytes of the sums of all ranks.
[[nodiscard]] std::int64_t phase_locking_bytes(const topology::Topology& topology);

/// Largest number of samples that the sums can hold.
inline constexpr std::int64_t most_phase_samples = std::int64_t{1} << 30U;

/// Creates the accumulator; null for a system without pseudo-dihedrals. Each rank computes the
/// phases of a block of residues; then all ranks gather all phases, and each adds to some rows of
/// the matrix. The topology must outlive it. Not collective.
[[nodiscard]] std::unique_ptr<SharedAccumulator> make_phase_locking(
    const comm::Communicator& communicator, const topology::Topology& topology);

}  // namespace nfold::run
