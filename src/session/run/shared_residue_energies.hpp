// Histograms of each residue's potential energy, counted by all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "model/topology/topology.hpp"
#include "session/run/shared_accumulator.hpp"

namespace nfold::run {

/// Creates the accumulator. The energy of a term or a pair is split equally over its residues;
/// biases are excluded. Each rank sums the pairs of a slice of space and the terms of a block of
/// residues, and keeps histograms of some distinct residues. kelvin: temperature of the thermostat,
/// which sets the range of the histograms. The topology must outlive it. Not collective.
[[nodiscard]] std::unique_ptr<SharedAccumulator> make_residue_energies(
    const comm::Communicator& communicator, const topology::Topology& topology, double kelvin);

}  // namespace nfold::run
