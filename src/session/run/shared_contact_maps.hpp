// Contact maps counted by all ranks: dense for few distinct residues, sparse for many.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "model/topology/topology.hpp"
#include "session/run/shared_accumulator.hpp"

namespace nfold::run {

/// Creates the accumulator. Each rank finds the contacts in a slice of space. Up to
/// analysis::dense_map_row_limit distinct residues, each rank counts them in dense tables of
/// its own, which are summed when they are saved; beyond, a rank keeps some rows of the maps, and
/// contacts are sent to the rank that keeps their row. The topology must outlive it. Not
/// collective.
[[nodiscard]] std::unique_ptr<SharedAccumulator> make_contact_maps(
    const comm::Communicator& communicator, const topology::Topology& topology, double cutoff_nm);

}  // namespace nfold::run
