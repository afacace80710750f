// Bytes by residue and term of what is on the host.
// SPDX-License-Identifier: BSD-3-Clause

#include "setup/host_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/contact_maps.hpp"
#include "analysis/distinct_residues.hpp"
#include "analysis/sparse_contact_maps.hpp"
#include "system/state.hpp"

namespace nfold::setup {
namespace {

constexpr std::int64_t state_bytes =
    sizeof(int) + sizeof(system::FixedPosition) + sizeof(system::Velocity);
constexpr std::int64_t position_bytes = sizeof(std::array<double, 3>);

template <class T>
std::int64_t bytes_of(const std::vector<T>& items) {
  return static_cast<std::int64_t>(items.size() * sizeof(T));
}

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

}  // namespace

std::int64_t topology_bytes(const topology::Topology& topology) {
  std::int64_t bytes = bytes_of(topology.residues) + bytes_of(topology.chains) +
                       bytes_of(topology.exclusions) + bytes_of(topology.native_nm);
  topology::BondedKinds::for_each([&](auto kind) { bytes += bytes_of(terms_of(topology, kind)); });
  return bytes;
}

void add_host_arrays(device::MemoryPlan& plan, const config::Settings& settings,
                     const topology::Topology& topology, double times,
                     const domain::RankCounts& counts, int rank) {
  const std::int64_t all = counts.residues, owned = counts.owned;
  plan.in("topology")
      .host("topology", std::llround(times * static_cast<double>(topology_bytes(topology))));
  const auto terms = std::accumulate(
      counts.inner_terms.begin(), counts.inner_terms.end(),
      std::accumulate(counts.border_terms.begin(), counts.border_terms.end(), std::int64_t{0}));
  plan.host("terms of this rank", terms * static_cast<std::int64_t>(sizeof(int)));
  // Ids, the map from residue to rank and the rows of residues while tables are filled.
  plan.host("owners and rows", (3 * all + counts.rows()) * static_cast<std::int64_t>(sizeof(int)));
  // A copy of the rows and a column on its way to it; on several ranks those that come to be
  // written.
  const std::int64_t written = counts.ranks > 1 ? all / counts.ranks + 1 : 0;
  std::int64_t files =
      owned * (state_bytes + static_cast<std::int64_t>(sizeof(double))) + written * state_bytes;
  if (rank == 0) {
    // One rank's rows at a time come to it: ids and positions, as bytes and as numbers.
    constexpr std::int64_t row_bytes = position_bytes + sizeof(std::int64_t);
    files += all * position_bytes + owned * position_bytes;
    if (counts.ranks > 1) files += 3 * owned * row_bytes;
    if (settings.output.trajectory_every_steps > 0) {
      files += all * 3 * static_cast<std::int64_t>(sizeof(float));
    }
  }
  // The start is gone when files are written.
  plan.in("files").host("start, then checkpoint and frame", std::max(all * state_bytes, files));
  const auto& observables = settings.observables;
  if (observables.every_steps > 0) {
    plan.in("observables");
    if (observables.contact_maps) add_contact_maps(plan, topology, counts, rank);
  }
}

}  // namespace nfold::setup
