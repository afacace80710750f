// Methods of sharing residues out, side by side: a table for a person, files for a picture.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "job/output_folder.hpp"
#include "setup/partition_choice.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

/// All methods on one number of ranks.
struct PartitionComparison {
  int rank_count = 1;
  std::vector<PartitionFigures> methods;
  config::PartitionMethod automatic{};  ///< that `auto` takes
};

/// The methods that a run of these settings may take, on so many ranks of one node.
[[nodiscard]] PartitionComparison compared_on(const config::Settings& settings,
                                              const topology::Topology& topology,
                                              const system::State& state, int rank_count);

/// Lines, the method that auto takes marked.
[[nodiscard]] std::vector<std::string> partition_table(const PartitionComparison& comparison,
                                                       const topology::Topology& topology);

/// Writes into a folder, which is made: partitions.csv with the table's numbers, owners.csv with a
/// column for each map and contacts.csv, which `tools/report.py` draws. InputError
/// for files that exist, unless they may be replaced; FileError.
void write_partition_files(const std::filesystem::path& folder, job::Overwrite overwrite,
                           std::span<const PartitionComparison> comparisons,
                           const topology::Topology& topology, const system::State& state);

}  // namespace nfold::setup
