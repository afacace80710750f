// Tables of the counts over replicas, for an ensemble's file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/sparse_counts.hpp"
#include "analysis/thermodynamics/folding.hpp"
#include "model/topology/topology.hpp"
#include "replicas/replica_observer.hpp"
#include "session/common/tables.hpp"

namespace nfold::ensemble {

/// Counts of all ranks, and the plan that they belong to.
struct EnsembleCounts {
  EnsembleCounts(const replicas::ObserverPlan& what, const replicas::ObservedCounts& found,
                 std::vector<std::vector<analysis::SparseCounts::Entry>> maps)
      : plan(what), counts(found), contact_maps(std::move(maps)) {}
  const replicas::ObserverPlan& plan;
  const replicas::ObservedCounts& counts;
  std::vector<std::vector<analysis::SparseCounts::Entry>> contact_maps;  ///< (large tables)
};

/// Adds the groups `contacts`, `contact_maps`, `size`, `residue_energy` and `phase_locking`.
void add_counted_tables(const topology::Topology& topology, const EnsembleCounts& of,
                        common::Tables& tables);

/// Adds the tables that need the thermodynamics: `landscape` (free energy over Q and the potential
/// energy, Q and the radius of gyration), `folding_order` (phi values). of: may be null. Returns
/// lines for the user.
[[nodiscard]] std::vector<std::string> add_folding_tables(
    const topology::Topology& topology, const thermodynamics::FoldingSamples& samples,
    const thermodynamics::FoldingThermodynamics& found, const EnsembleCounts* of,
    common::Tables& tables);

}  // namespace nfold::ensemble
