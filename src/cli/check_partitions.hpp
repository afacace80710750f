// Part of nfold check that compares partitions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "session/setup/partition_table.hpp"
#include "system/state.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
class Option;
}  // namespace CLI

namespace nfold::cli {

/// Ranks for which `nfold check --partitions` compares partitions.
struct PartitionRequest {
  std::vector<int> ranks;      ///< numbers of ranks; 0 in front: none is given
  int nodes = 0;               ///< 0: not given
  std::vector<double> speeds;  ///< (ranks) relative speeds; empty: equal
};

/// Adds --partitions, --nodes and --speeds. Returns the first.
CLI::Option* add_partition_options(CLI::App& command, PartitionRequest& request);

/// Compares the methods on each number of ranks. Throws core::InputError for nodes or speeds that
/// do not fit the ranks.
[[nodiscard]] std::vector<setup::PartitionComparison> compare_requested(
    const PartitionRequest& request, const input::Settings& settings,
    const topology::Topology& topology, const system::State& state);

}  // namespace nfold::cli
