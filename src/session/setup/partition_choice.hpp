// Estimated cost of each partition method, and the choice of `auto`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "domain/partition.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::setup {

/// Rows of residues that ranks send each other in a step.
struct Traffic {
  std::int64_t rows = 0, bytes = 0;  ///< sum of all ranks
  std::int64_t peers = 0;            ///< most of any rank
};

/// Part of a partition.
struct RankFigures {
  int node = 0;
  double speed = 1;         ///< relative to the mean
  double work_share = 0;    ///< fraction of the counted work
  double step_seconds = 0;  ///< estimate, without waits for slower ranks
  std::int64_t residues = 0, ghosts = 0, bytes_within_node = 0, bytes_between_nodes = 0;
};

/// Partition by one method, and its figures.
struct PartitionFigures {
  input::PartitionMethod method = input::PartitionMethod::residue_ranges;
  domain::Ownership owner;
  std::int64_t contacts_cut = 0;
  std::int64_t ghosts = 0, most_ghosts = 0;  ///< sum of all ranks; most of any rank
  double balance = 1;  ///< even share of the work over the largest, relative to the rank's speed
  Traffic within_nodes, between_nodes;
  double step_seconds = 0;  ///< estimate
  double efficiency = 1;    ///< estimated step on one rank over the ranks' step times their number
  std::vector<RankFigures> ranks;

  /// Bytes that all ranks send in a step.
  [[nodiscard]] std::int64_t exchange_bytes() const {
    return within_nodes.bytes + between_nodes.bytes;
  }
};

/// Most ranks of a comparison, which counts each of them.
inline constexpr int max_compared_ranks = 64;
/// Most residues of a comparison, which would take seconds: above this `auto` depends on the number
/// of chains alone.
inline constexpr std::int64_t max_compared_residues = 200'000;

/// Returns the method as a value of the key partition.method, "clusters".
[[nodiscard]] std::string method_name(input::PartitionMethod method);

/// Returns the method that is used without a comparison.
[[nodiscard]] input::PartitionMethod usual_method(const topology::Topology& topology);
/// Preference among compared methods with similar estimates.
struct Preference {
  /// Method that is taken unless another is better by more than 3 %.
  input::PartitionMethod usual = input::PartitionMethod::residue_ranges;
  /// true: clusters are taken first unless another is better by more than 1 %, since cut terms slow
  /// a GPU down by more than the estimate.
  bool prefers_clusters = false;
};
/// Returns a preference for clusters if there are native contacts.
[[nodiscard]] Preference preference_for(const topology::Topology& topology);
/// Returns the method of the input, for `auto` the usual one: the method without a comparison.
[[nodiscard]] input::PartitionMethod method_of(const input::Settings& settings,
                                               const topology::Topology& topology);

/// True for methods that use contacts. One rank partitions for all, since these use METIS.
[[nodiscard]] bool uses_graph(input::PartitionMethod method);

/// Returns the most units of a repartition during steps, if chains are long enough: few, for a fast
/// search, but enough per rank for balance.
[[nodiscard]] inline std::int64_t max_repartition_units(int ranks) {
  constexpr std::int64_t fewest = 20'000, of_each = 2'500;
  return std::max(fewest, of_each * ranks);
}
/// Returns the residues of a unit that such a repartition assigns together: 1 for methods that use
/// contacts and for comparisons.
[[nodiscard]] int residues_per_repartition_unit(const input::Settings& settings,
                                                const topology::Topology& topology,
                                                std::int64_t residues, std::int64_t most_units);

/// Returns all methods but random, in the order of a table. state, speed, node, work: as in
/// owners(). For at most max_compared_ranks ranks.
[[nodiscard]] std::vector<PartitionFigures> compare_partitions(
    const input::Settings& settings, const topology::Topology& topology, const system::State& state,
    int rank_count, std::span<const double> speed = {}, std::span<const int> node = {},
    std::span<const double> work = {});

/// Returns the method with the shortest estimated step, or a preferred one.
[[nodiscard]] const PartitionFigures& best_partition(std::span<const PartitionFigures> compared,
                                                     const Preference& preference);

/// True if the settings require a comparison on rank_count ranks: `auto`, within the limits above.
[[nodiscard]] bool compares(const input::Settings& settings, const topology::Topology& topology,
                            int rank_count);

/// Returns " takes clusters (predicted step 29.4 us; residue-ranges 30.3, recursive-bisection
/// 30.9)".
[[nodiscard]] std::string describe_comparison(std::span<const PartitionFigures> compared,
                                              input::PartitionMethod taken);

}  // namespace nfold::setup
