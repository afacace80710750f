// Comparison of partition methods: tables for people, JSON for programs, files for plots.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "session/job/output_folder.hpp"
#include "session/setup/partition_choice.hpp"
#include "system/state.hpp"

namespace nfold::setup {

/// Ranks for which methods are compared.
struct RankLayout {
  int rank_count = 1;
  int nodes = 0;  ///< consecutive ranks in equal numbers; 0: by partition.ranks_per_node
  std::vector<double> speed{};  ///< (ranks) relative speeds; empty: equal
};

/// All methods on one number of ranks.
struct PartitionComparison {
  RankLayout layout;  ///< with the number of nodes
  std::vector<PartitionFigures> methods;
  input::PartitionMethod automatic{};  ///< choice of `auto`
  input::PartitionMethod taken{};      ///< method of a run: that of the input, or `automatic`
};

/// Compares the methods that a run with these settings may take.
[[nodiscard]] PartitionComparison compare_methods(const input::Settings& settings,
                                                  const topology::Topology& topology,
                                                  const system::State& state, RankLayout layout);

/// Returns the lines of a table, with a mark at the choice of `auto`; if speeds are given, also of
/// a table of the ranks with the method that a run takes.
[[nodiscard]] std::vector<std::string> partition_table(const PartitionComparison& comparison,
                                                       const topology::Topology& topology);
[[nodiscard]] nlohmann::ordered_json partition_json(const PartitionComparison& comparison,
                                                    const topology::Topology& topology);

/// Creates a folder and writes partitions.csv with the figures, owners.csv with a column for each
/// partition and contacts.csv, which `tools/report.py` plots. Throws InputError for existing files,
/// unless they may be replaced; FileError.
void write_partition_files(const std::filesystem::path& folder, job::Overwrite overwrite,
                           std::span<const PartitionComparison> comparisons,
                           const topology::Topology& topology, const system::State& state);

}  // namespace nfold::setup
