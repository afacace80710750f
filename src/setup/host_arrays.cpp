// Bytes by residue and term of what is on the host.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/host_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/contact_maps.hpp"
#include "analysis/distinct_residues.hpp"
#include "analysis/energy_histograms.hpp"
#include "analysis/sparse_contact_maps.hpp"
#include "device/device_memory.hpp"
#include "dynamics/engine_memory.hpp"
#include "start/placement.hpp"
#include "system/state.hpp"

namespace nfold::setup {
namespace {

constexpr std::int64_t state_bytes =
    sizeof(int) + sizeof(system::FixedPosition) + sizeof(system::Velocity);
// Without velocities, which a rank draws for residues of its own.
constexpr std::int64_t start_bytes = sizeof(int) + sizeof(system::FixedPosition);
constexpr std::int64_t position_bytes = sizeof(std::array<double, 3>);

// Of a residue in a slice of space, where contacts are found: sent, received and in a cell list;
// with a quarter more of them beyond the slice's borders.
constexpr std::int64_t slice_bytes = 5 * (2 * 40 + 33 + 32) / 4;
// Tables while they are saved, and numbers for the file.
constexpr std::int64_t copies_of_sums = 3;

void add_contact_maps(device::MemoryPlan& plan, const topology::Topology& topology,
                      const domain::RankCounts& counts, int rank) {
  const analysis::DistinctResidues residues(topology);
  const int rows = residues.count();
  plan.host("residues of a slice", counts.owned * slice_bytes);
  if (rows <= analysis::most_rows_of_whole_maps) {
    plan.host("contact maps",
              (1 + copies_of_sums) * analysis::ContactMaps::bytes(residues.kinds()));
    return;
  }
  const auto of_rank = analysis::SparseContactMaps::expected_bytes(
      analysis::rows_of_share(rows, rank, counts.ranks).size());
  plan.host("contact maps", 2 * of_rank);
  if (rank != 0) return;
  plan.host("contact maps to write",
            copies_of_sums * analysis::SparseContactMaps::expected_bytes(rows));
}

/// Histograms of this rank's rows, and while energies are summed those of its residues.
void add_residue_energies(device::MemoryPlan& plan, const topology::Topology& topology,
                          const domain::RankCounts& counts, int rank) {
  using analysis::EnergyHistograms;
  const int rows = analysis::DistinctResidues(topology).count();
  // An amount for each of four terms of a residue and for its pairs, sent and received; a position.
  constexpr std::int64_t amounts_bytes = std::int64_t{2} * 6 * 16 + 64;
  plan.host("energies of residues", counts.owned * (slice_bytes + amounts_bytes));
  plan.host("residue energies", 2 * EnergyHistograms::expected_bytes(
                                        analysis::rows_of_share(rows, rank, counts.ranks).size()));
  if (rank != 0) return;
  plan.host("residue energies to write", copies_of_sums * EnergyHistograms::expected_bytes(rows) +
                                             EnergyHistograms::table_bytes(rows));
}

/// Sums of this rank's rows, and all phases.
void add_phase_locking(device::MemoryPlan& plan, const topology::Topology& topology, double times,
                       const domain::RankCounts& counts, int rank) {
  std::int64_t of_topology = 1;
  for (const auto& chain : topology.chains) of_topology += std::max(chain.count - 3, 0);
  const double phases = times * static_cast<double>(of_topology);
  constexpr double sums_bytes = 16;  // of four sums a pair, half of them being there
  const auto all = std::llround(sums_bytes * phases * phases);
  plan.host("phases", std::llround(16 * phases));
  plan.host("phase locking", all / counts.ranks);
  if (rank == 0) plan.host("phase locking to write", copies_of_sums * all);
}

}  // namespace

std::int64_t topology_bytes(const topology::Topology& topology, double times) {
  std::int64_t bytes =
      topology.residues.bytes() + topology.exclusions.bytes() + topology.native_nm.bytes();
  topology::BondedKinds::for_each([&](auto kind) { bytes += terms_of(topology, kind).bytes(); });
  const double chains = times * static_cast<double>(topology.chains.size());
  return bytes + std::llround(chains * sizeof(topology::Chain));
}

void add_host_arrays(device::MemoryPlan& plan, const config::Settings& settings,
                     const topology::Topology& topology, double times,
                     const domain::RankCounts& counts, int rank) {
  const std::int64_t all = counts.residues, owned = counts.owned;
  plan.in("topology").host("topology", topology_bytes(topology, times));
  const auto terms = std::accumulate(
      counts.inner_terms.begin(), counts.inner_terms.end(),
      std::accumulate(counts.border_terms.begin(), counts.border_terms.end(), std::int64_t{0}));
  plan.host("terms of this rank", terms * static_cast<std::int64_t>(sizeof(int)));
  // Ids, the map from residue to rank and the rows of residues while tables are filled.
  plan.host("owners and rows", (3 * all + counts.rows()) * static_cast<std::int64_t>(sizeof(int)));
  if (counts.ranks > 1 && settings.partition.rebalance_every_steps > 0) {
    const auto precision = settings.dynamics.precision == config::Precision::mixed
                               ? dynamics::Precision::mixed
                               : dynamics::Precision::full;
    plan.host("tables of a new map", dynamics::prepared_owner_bytes(precision, counts) +
                                         all * static_cast<std::int64_t>(sizeof(int)));
    // Rank 0 has positions as they came and by id.
    if (rank == 0) plan.host("search of a new map", 2 * all * position_bytes);
  }
  // A copy of the rows and a column on its way to it; on several ranks those that come to be
  // written.
  const std::int64_t written = counts.ranks > 1 ? all / counts.ranks + 1 : 0;
  std::int64_t files =
      owned * (state_bytes + static_cast<std::int64_t>(sizeof(double))) + written * state_bytes;
  if (rank == 0) {
    // Those of other ranks come piece by piece.
    files += all * position_bytes + owned * position_bytes;
    if (settings.output.trajectory_every_steps > 0) {
      files += all * 3 * static_cast<std::int64_t>(sizeof(float));
    }
  }
  // The start is gone when files are written. Places are found before the engine has arrays, so
  // they add to the most of a host only where those are a GPU's.
  const std::int64_t start =
      all * (device::computes_on_gpu() ? start::placement_bytes : start_bytes);
  plan.in("files").host("start, then checkpoint and frame", std::max(start, files));
  const auto& observables = settings.observables;
  if (observables.every_steps > 0) {
    plan.in("observables");
    if (observables.contact_maps) add_contact_maps(plan, topology, counts, rank);
    if (observables.residue_energies) add_residue_energies(plan, topology, counts, rank);
    if (observables.phase_locking) add_phase_locking(plan, topology, times, counts, rank);
  }
}

}  // namespace nfold::setup
