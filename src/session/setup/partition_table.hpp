// Comparison of partition methods: a table for people, files for plots.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "session/job/output_folder.hpp"
#include "session/setup/partition_choice.hpp"
#include "system/state.hpp"

namespace nfold::setup {

/// All methods on one number of ranks.
struct PartitionComparison {
  int rank_count = 1;
  std::vector<PartitionFigures> methods;
  input::PartitionMethod automatic{};  ///< choice of `auto`
};

/// Compares the methods that a run with these settings may take, on ranks of one node.
[[nodiscard]] PartitionComparison compare_methods(const input::Settings& settings,
                                                  const topology::Topology& topology,
                                                  const system::State& state, int rank_count);

/// Returns the lines of a table, with a mark at the choice of `auto`.
[[nodiscard]] std::vector<std::string> partition_table(const PartitionComparison& comparison,
                                                       const topology::Topology& topology);

/// Creates a folder and writes partitions.csv with the figures, owners.csv with a column for each
/// partition and contacts.csv, which `tools/report.py` plots. Throws InputError for existing files,
/// unless they may be replaced; FileError.
void write_partition_files(const std::filesystem::path& folder, job::Overwrite overwrite,
                           std::span<const PartitionComparison> comparisons,
                           const topology::Topology& topology, const system::State& state);

}  // namespace nfold::setup
