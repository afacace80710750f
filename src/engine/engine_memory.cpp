// Memory estimate of an engine: the sum over its parts.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/engine_memory.hpp"

#include <algorithm>
#include <limits>

#include "engine/forces/host_arrays.hpp"
#include "engine/forces/list_length.hpp"
#include "engine/forces/sorted_arrays.hpp"
#include "engine/row_migration.hpp"
#include "engine/skin_tuner.hpp"
#include "engine/step_engine.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "engine/cuda/block_graphs.hpp"
#endif

namespace nfold::engine {
namespace {

template <class Precision>
device::MemoryEstimate estimate_arrays(const topology::Topology& topology, const ListReach& reach,
                                       const domain::RankCounts& counts, bool on_gpu) {
  device::MemoryEstimate estimate(on_gpu);
  ResidueState<Precision>::estimate(estimate, counts);
  estimate.in("state").count([] {
    const StepMarks marks;
#ifdef KOKKOS_ENABLE_CUDA
    (void)BlockGraphs::reserved_state();  // a few bytes
#endif
  });
  forces::ForceTables<Precision>::estimate(estimate, counts);
  if (on_gpu) {
    forces::SortedForceArrays<Precision>::estimate(estimate, topology, counts);
  } else {
    forces::HostForceArrays<Precision>::estimate(estimate, topology, counts);
  }
  forces::Biases<Precision>::estimate(estimate, counts.in_biases);
  forces::ExternalFields<Precision>::estimate(estimate, topology, counts);
  GhostExchange<Precision>::estimate(estimate, counts, reach);
  return estimate;
}

/// Size of force tables, kicks and masses on the device.
template <class Precision>
std::int64_t migration_table_bytes(const domain::RankCounts& counts, bool on_gpu) {
  device::MemoryEstimate estimate(on_gpu);
  forces::ForceTables<Precision>::estimate(estimate, counts);
  estimate.count([&] { RowKickTable().reserve(counts.owned, kernels::types_at_most); });
  return estimate.device_bytes() + counts.owned * static_cast<std::int64_t>(sizeof(double));
}
std::int64_t migration_table_bytes(Precision precision, const domain::RankCounts& counts,
                                   bool on_gpu) {
  return precision == Precision::mixed ? migration_table_bytes<kernels::Mixed>(counts, on_gpu)
                                       : migration_table_bytes<kernels::Full>(counts, on_gpu);
}

}  // namespace

ListReach first_reach(const topology::Topology& topology, const EngineSettings& settings) {
  ListReach reach;
  reach.short_range_nm = topology.short_range.cutoff_nm;
  if (topology.electrostatics.acts()) reach.charge_nm = topology.electrostatics.cutoff_nm;
  reach.skin_nm =
      settings.skin_nm > 0
          ? settings.skin_nm
          : first_skin_nm(std::max(reach.short_range_nm, reach.charge_nm), settings.on_gpu);
  return reach;
}

ListReach longest_reach(const topology::Topology& topology, const EngineSettings& settings,
                        std::int64_t residues_of_rank) {
  auto reach = first_reach(topology, settings);
  if (settings.skin_nm == 0 && settings.rebuild_every == 0) {
    // A core computes pairs serially, so latency does not favour long skins.
    constexpr auto many = std::numeric_limits<std::int64_t>::max();
    reach.skin_nm = SkinTuner::longest_nm(reach.skin_nm, settings.on_gpu ? residues_of_rank : many);
  }
  return reach;
}

domain::RankCounts scale_list_counts(domain::RankCounts counts, const ListReach& from,
                                     const ListReach& to) {
  const auto times = [&](double ListReach::*range_nm) {
    return forces::list_length_ratio(from.*range_nm + from.skin_nm, to.*range_nm + to.skin_nm);
  };
  counts.pairs.lengthen(times(&ListReach::short_range_nm));
  counts.charges.lengthen(times(&ListReach::charge_nm));
  return counts;
}

GhostRanges ghost_ranges(const topology::Topology& topology, const EngineSettings& settings) {
  const auto ranges = GhostExchange<kernels::Mixed>::ranges_for(
      topology.box, first_reach(topology, settings), settings.on_gpu);
  return {ranges.all_nm + ranges.margin_nm,
          ranges.charged_nm > ranges.all_nm ? ranges.charged_nm + ranges.margin_nm : 0};
}

std::int64_t bytes_of_row(Precision precision) {
  return 3 * static_cast<std::int64_t>(precision == Precision::mixed
                                           ? sizeof(kernels::Mixed::Coordinate)
                                           : sizeof(kernels::Full::Coordinate));
}

device::MemoryEstimate engine_memory(const topology::Topology& topology,
                                     const EngineSettings& settings,
                                     const domain::RankCounts& counts) {
  const auto first = first_reach(topology, settings);
  const auto with = [&](const domain::RankCounts& lists) {
    return settings.precision == Precision::mixed
               ? estimate_arrays<kernels::Mixed>(topology, first, lists, settings.on_gpu)
               : estimate_arrays<kernels::Full>(topology, first, lists, settings.on_gpu);
  };
  const auto longest = longest_reach(topology, settings, counts.residues / counts.ranks);
  if (longest.skin_nm == first.skin_nm) return with(counts);
  // Reach-dependent arrays other than lists are estimated at the first reach: there are most cells
  // at the shortest reach.
  auto estimate = with(scale_list_counts(counts, first, longest));
  estimate.mark_optional(estimate.device_bytes() - with(counts).device_bytes());
  return estimate;
}

std::int64_t prepared_repartition_bytes(Precision precision, const domain::RankCounts& counts,
                                        bool on_gpu) {
  // Also the old and new local indices of rows.
  const auto fixed_rows = 2 * (counts.fixed_rows() + counts.partners + counts.halo.sent_partners);
  return migration_table_bytes(precision, counts, on_gpu) +
         (counts.owned + fixed_rows + counts.charged) * static_cast<std::int64_t>(sizeof(int));
}

void add_prepared_repartition(device::MemoryEstimate& estimate, Precision precision,
                              const domain::RankCounts& counts) {
  if (!estimate.is_for_gpu()) return;
  const auto before = estimate.device_bytes();
  estimate.device("tables of the new map", migration_table_bytes(precision, counts, true));
  estimate.count([&] { MigrationBuffers().source.reserve(counts.owned); });
  estimate.mark_optional(estimate.device_bytes() - before);
}

void add_device_snapshot(device::MemoryEstimate& estimate, const domain::RankCounts& counts) {
  if (!estimate.is_for_gpu()) return;
  estimate.in("copies for checkpoints").count([&] { HeldRows().reserve(counts.owned); });
}

}  // namespace nfold::engine
