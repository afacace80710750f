// Host memory of a rank, beside its device memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "analysis/distinct_residues.hpp"
#include "device/memory_estimate.hpp"
#include "domain/rank_counts.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"

namespace nfold::setup {

/// Bytes of a topology with `times` as many copies of its molecules, each of which is stored once.
[[nodiscard]] std::int64_t topology_bytes(const topology::Topology& topology, double times = 1);

/// Rows of tables by residue: one for each residue of one chain of each kind.
[[nodiscard]] std::int64_t table_rows(const topology::Topology& topology);

/// Group of arrays that a rank has only during a repartition.
inline constexpr const char* repartition_group = "new map";

/// Adds the host arrays of a rank, but for those of observables. times: size of the whole system
/// over that of `topology`.
void add_host_arrays(device::MemoryEstimate& estimate, const input::Settings& settings,
                     const topology::Topology& topology, double times,
                     const domain::RankCounts& counts, int rank);
/// Adds the arrays of observables. residues: of the topology.
void add_observables(device::MemoryEstimate& estimate, const input::ObservableSettings& observables,
                     const topology::Topology& topology, const analysis::DistinctResidues& residues,
                     double times, const domain::RankCounts& counts, int rank);

}  // namespace nfold::setup
