// Options --partitions, --nodes and --speeds of nfold check.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/check_partitions.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/command_options.hpp"
#include "core/refusal.hpp"
#include "core/text.hpp"
#include "session/job/failure.hpp"

namespace nfold::cli {
namespace {

/// Returns the requested rank counts, else the number of speeds, else the number of ranks that
/// mpirun started, else 2 and 4 on each node.
std::vector<int> rank_counts(const PartitionRequest& request) {
  // CLI11 yields a 0 if the option has no value.
  if (request.ranks.front() > 0) return request.ranks;
  if (!request.speeds.empty()) return {static_cast<int>(request.speeds.size())};
  const int started = job::rank_count_before_mpi();
  if (started > 1) return {started};
  const int nodes = std::max(1, request.nodes);
  return {2 * nodes, 4 * nodes};
}

void require_fit(const PartitionRequest& request, int ranks) {
  if (ranks > setup::max_compared_ranks || request.nodes > ranks) {
    core::refuse("--nodes",
                 fmt::format("{} for {}", core::pluralise(request.nodes, "node"),
                             core::pluralise(ranks, "rank")),
                 fmt::format("--partitions takes 1 to {} ranks, at least one on each node",
                             setup::max_compared_ranks));
  }
  const auto speeds = request.speeds.size();
  if (speeds != 0 && speeds != static_cast<std::size_t>(ranks)) {
    core::refuse(
        "--speeds",
        fmt::format("{} for {}", core::pluralise(speeds, "speed"), core::pluralise(ranks, "rank")),
        "give one speed for each rank");
  }
}

}  // namespace

CLI::Option* add_partition_options(CLI::App& command, PartitionRequest& request) {
  constexpr double most_speed = 1e12;
  auto* const partitions =
      command
          .add_option("--partitions", request.ranks,
                      "Only a table of the methods that share residues out, on so many ranks "
                      "[those of mpirun, else 2,4]")
          ->type_name("RANKS")
          ->delimiter(',')
          ->expected(0, setup::max_compared_ranks)
          ->transform(whole_from(1, setup::max_compared_ranks));
  command
      .add_option("--nodes", request.nodes,
                  "With --partitions: nodes over which the ranks are spread, and what crosses them "
                  "[by partition.ranks_per_node, else 1]")
      ->transform(whole_from(1, setup::max_compared_ranks))
      ->needs(partitions);
  command
      .add_option("--speeds", request.speeds,
                  "With --partitions: relative speed of each rank, such as the scores of nfold "
                  "devices, and what each rank gets by them: 100,100,50")
      ->type_name("SPEEDS")
      ->delimiter(',')
      ->transform(real_above(0, most_speed))
      ->needs(partitions);
  return partitions;
}

std::vector<setup::PartitionComparison> compare_requested(const PartitionRequest& request,
                                                          const input::Settings& settings,
                                                          const topology::Topology& topology,
                                                          const system::State& state) {
  const auto counts = rank_counts(request);
  for (const int ranks : counts) require_fit(request, ranks);
  std::vector<setup::PartitionComparison> comparisons;
  comparisons.reserve(counts.size());
  for (const int ranks : counts) {
    comparisons.push_back(
        setup::compare_methods(settings, topology, state, {ranks, request.nodes, request.speeds}));
  }
  return comparisons;
}

}  // namespace nfold::cli
