// What a rank keeps in the memory of its host, beside what is the device's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "config/settings.hpp"
#include "device/memory_plan.hpp"
#include "domain/rank_counts.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

/// Bytes of a topology with `times` as many copies of its molecules, each of which is stored once.
[[nodiscard]] std::int64_t topology_bytes(const topology::Topology& topology, double times = 1);

/// Group of what a rank has only while residues are shared out anew.
inline constexpr const char* new_map_group = "new map";

/// Adds those of a run's rank; the whole is `times` what the topology has.
void add_host_arrays(device::MemoryPlan& plan, const config::Settings& settings,
                     const topology::Topology& topology, double times,
                     const domain::RankCounts& counts, int rank);

}  // namespace nfold::setup
