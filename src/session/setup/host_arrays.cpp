// Bytes of host arrays by residue and term.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/host_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/contact_maps.hpp"
#include "analysis/distinct_residues.hpp"
#include "analysis/energy_histograms.hpp"
#include "analysis/sparse_contact_maps.hpp"
#include "device/device_memory.hpp"
#include "engine/engine_memory.hpp"
#include "io/checkpoint_rows.hpp"
#include "io/trajectory.hpp"
#include "model/start/placement.hpp"
#include "session/setup/memory_estimate.hpp"
#include "session/setup/partition_choice.hpp"
#include "session/setup/report.hpp"
#include "session/setup/start_setup.hpp"
#include "system/state.hpp"

namespace nfold::setup {
namespace {

constexpr std::int64_t state_bytes =
    sizeof(int) + sizeof(system::FixedPosition) + sizeof(system::Velocity);
// Without velocities, which each rank draws for its own residues.
constexpr std::int64_t start_bytes = sizeof(int) + sizeof(system::FixedPosition);
constexpr std::int64_t position_bytes = sizeof(std::array<double, 3>);

// Bytes of a residue in a slice of space, in which contacts are found: sent, received and in a cell
// list, with a quarter more residues beyond the slice's borders.
constexpr std::int64_t slice_bytes = 5 * (2 * 40 + 33 + 32) / 4;
// Copies of a table while it is saved, including numbers for the file.
constexpr std::int64_t copies_of_sums = 3;

void add_contact_maps(device::MemoryEstimate& estimate, const analysis::DistinctResidues& residues,
                      const domain::RankCounts& counts, int rank) {
  const int rows = residues.count();
  estimate.host("residues of a slice", counts.owned * slice_bytes);
  if (rows <= analysis::dense_map_row_limit) {
    estimate.host("contact maps",
                  (1 + copies_of_sums) * analysis::ContactMaps::bytes(residues.kinds()));
    return;
  }
  const auto of_rank = analysis::SparseContactMaps::expected_bytes(
      analysis::rows_of_share(rows, rank, counts.ranks).size());
  estimate.host("contact maps", 2 * of_rank);
  if (rank != 0) return;
  estimate.host("contact maps to write",
                copies_of_sums * analysis::SparseContactMaps::expected_bytes(rows));
}

/// Adds the histograms of this rank's rows and, while energies are summed, those of its residues.
void add_residue_energies(device::MemoryEstimate& estimate,
                          const analysis::DistinctResidues& residues,
                          const domain::RankCounts& counts, int rank) {
  using analysis::EnergyHistograms;
  const int rows = residues.count();
  // Amounts for four terms of a residue and for its pairs, sent and received, and a position.
  constexpr std::int64_t amounts_bytes = std::int64_t{2} * 6 * 16 + 64;
  estimate.host("energies of residues", counts.owned * (slice_bytes + amounts_bytes));
  estimate.host("residue energies",
                2 * EnergyHistograms::expected_bytes(
                        analysis::rows_of_share(rows, rank, counts.ranks).size()));
  if (rank != 0) return;
  estimate.host("residue energies to write",
                copies_of_sums * EnergyHistograms::expected_bytes(rows) +
                    EnergyHistograms::table_bytes(rows));
}

/// Adds the sums of this rank's rows, and all phases.
void add_phase_locking(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       double times, const domain::RankCounts& counts, int rank) {
  std::int64_t of_topology = 1;
  for (const auto& chain : topology.chains) of_topology += std::max(chain.count - 3, 0);
  const double phases = times * static_cast<double>(of_topology);
  constexpr double sums_bytes = 16;  // bytes of four sums per pair, half of which are stored
  const auto all = std::llround(sums_bytes * phases * phases);
  estimate.host("phases", std::llround(16 * phases));
  estimate.host("phase locking", all / counts.ranks);
  if (rank == 0) estimate.host("phase locking to write", copies_of_sums * all);
}

/// Bytes during placement or of the resulting state, whichever is larger.
std::int64_t bytes_of_start(const input::Settings& settings, const topology::Topology& topology,
                            const domain::RankCounts& counts) {
  const bool in_shares = starts_in_shares(settings, topology, counts.residues, counts.ranks);
  const std::int64_t kept = in_shares ? counts.residues / counts.ranks + 1 : counts.residues;
  // Work of residues and cells of this rank's slab during partitioning; the partition itself is
  // counted with the owners.
  constexpr std::int64_t sought_map_bytes = 20;
  return std::max(counts.residues * start::placement_bytes + kept * position_bytes,
                  kept * (start::placed_bytes + (in_shares ? sought_map_bytes : 0)));
}

/// Bytes of reported positions: rank 0 has all of them if an observable needs all at once.
std::int64_t bytes_of_frame(const input::Settings& settings, const topology::Topology& topology,
                            const domain::RankCounts& counts, int rank) {
  const auto& asked = settings.observables;
  const bool sums_on_root =
      asked.every_steps > 0 && (asked.density_profile || asked.clusters || asked.chain_sizes ||
                                asked.mean_square_displacement || asked.coexistence);
  const bool needs_all_rows = sums_on_root || needs_all_positions(topology);
  std::int64_t bytes = counts.owned * position_bytes;
  if (rank != 0) return bytes;
  if (needs_all_rows) bytes += counts.residues * position_bytes;
  constexpr auto most = static_cast<std::int64_t>(io::TrajectoryWriter::usual_bytes_in_memory);
  if (settings.output.trajectory_every_steps > 0) {
    // Frames, and their data on the way to the file.
    bytes += 2 * std::min(counts.residues * 3 * static_cast<std::int64_t>(sizeof(float)), most);
  }
  return bytes;
}

}  // namespace

std::int64_t topology_bytes(const topology::Topology& topology, double times) {
  std::int64_t bytes = topology.residues.bytes() + topology.exclusions.bytes() +
                       topology.charged_exclusions.bytes() + topology.native_nm.bytes();
  topology::BondedKinds::for_each([&](auto kind) { bytes += terms_of(topology, kind).bytes(); });
  const double chains = times * static_cast<double>(topology.chains.size());
  return bytes + std::llround(chains * sizeof(topology::Chain));
}

std::int64_t table_rows(const topology::Topology& topology) {
  return analysis::DistinctResidues(topology).count();
}

void add_host_arrays(device::MemoryEstimate& estimate, const input::Settings& settings,
                     const topology::Topology& topology, double times,
                     const domain::RankCounts& counts, int rank) {
  const std::int64_t all = counts.residues, owned = counts.owned;
  estimate.in("topology").host("topology", topology_bytes(topology, times));
  const auto terms = std::accumulate(
      counts.inner_terms.begin(), counts.inner_terms.end(),
      std::accumulate(counts.border_terms.begin(), counts.border_terms.end(), std::int64_t{0}));
  estimate.host("terms of this rank", terms * static_cast<std::int64_t>(sizeof(int)));
  // Owner of each residue, ids and, while tables are filled, bits that find rows.
  estimate.host("owners and rows",
                (all + counts.rows()) * static_cast<std::int64_t>(sizeof(int)) + all / 2);
  if (counts.ranks > 1 && settings.partition.rebalance_every_steps > 0) {
    const auto precision = settings.dynamics.precision;
    estimate.in(repartition_group);
    estimate.host("tables of a new map",
                  engine::prepared_repartition_bytes(precision, counts, estimate.is_for_gpu()) +
                      all * static_cast<std::int64_t>(sizeof(int)));
    engine::add_prepared_repartition(estimate, precision, counts);
    // Rank 0 has positions in received order and by id, of residues or of their units.
    const std::int64_t chains = std::llround(times * static_cast<double>(topology.chains.size()));
    const auto unit =
        residues_per_repartition_unit(settings, topology, all, max_repartition_units(counts.ranks));
    const auto sought = unit > 1 ? std::min(all, all / unit + chains) : all;
    if (rank == 0) estimate.host("search of a new map", 2 * sought * position_bytes);
  }
  // A checkpoint reads its rows in pieces from a copy: the piece that is written, with one sorted
  // column, and the next piece. On a GPU the copy stays on the device and its ids on the host.
  const std::int64_t piece = std::min(all / counts.ranks + 1, io::checkpoint_rows::piece_rows);
  const bool is_kept_on_gpu = estimate.is_for_gpu() && settings.output.checkpoint_in_background;
  const auto of_kept_row = is_kept_on_gpu ? static_cast<std::int64_t>(sizeof(int)) : state_bytes;
  const auto column = static_cast<std::int64_t>(sizeof(system::Velocity));
  const std::int64_t checkpoint = owned * of_kept_row + piece * (2 * state_bytes + column);
  // The start is freed before files are written. Arrays of the engine on the host are far larger
  // than the start.
  const std::int64_t start =
      estimate.is_for_gpu() ? bytes_of_start(settings, topology, counts) : owned * start_bytes;
  const std::int64_t frame = bytes_of_frame(settings, topology, counts, rank);
  estimate.in("files").host("start, then checkpoint or frame",
                            std::max({start, checkpoint, frame}));
}

void add_observables(device::MemoryEstimate& estimate, const input::ObservableSettings& observables,
                     const topology::Topology& topology, const analysis::DistinctResidues& residues,
                     double times, const domain::RankCounts& counts, int rank) {
  estimate.in("observables");
  if (observables.contact_maps) add_contact_maps(estimate, residues, counts, rank);
  if (observables.residue_energies) add_residue_energies(estimate, residues, counts, rank);
  if (observables.phase_locking) add_phase_locking(estimate, topology, times, counts, rank);
}

}  // namespace nfold::setup
