// What each method of sharing residues out would cost, and which of them `auto` takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "domain/partition.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

/// One method's map, and what follows from it.
struct PartitionFigures {
  config::PartitionMethod method = config::PartitionMethod::residue_ranges;
  domain::Ownership owner;
  std::int64_t contacts_cut = 0;
  std::int64_t ghosts = 0, most_ghosts = 0;  ///< of all ranks together; of the rank with most
  double balance = 1;                        ///< mean over largest counted work
  std::int64_t exchange_bytes = 0;           ///< that all ranks together send in a step
  double step_seconds = 0;                   ///< predicted
  double efficiency = 1;  ///< one rank's predicted step over the ranks' step times their number
};

/// All ranks of them are counted, one by one.
inline constexpr int compared_ranks_at_most = 64;
/// Above this `auto` goes by the number of chains alone, for comparing would take seconds.
inline constexpr std::int64_t compared_residues_at_most = 200'000;

/// "clusters", as the key partition.method has it.
[[nodiscard]] std::string method_name(config::PartitionMethod method);

/// What is taken where nothing is compared.
[[nodiscard]] config::PartitionMethod usual_method(const topology::Topology& topology);
/// What is taken of compared methods that are as good as each other.
struct Preference {
  /// Unless another is better by more than 3 %.
  config::PartitionMethod usual = config::PartitionMethod::residue_ranges;
  /// Before that, unless another is better by more than 1 %: terms that are cut hold a GPU up by
  /// more than is predicted.
  bool of_clusters = false;
};
/// Clusters are preferred where there are native contacts.
[[nodiscard]] Preference preference_for(const topology::Topology& topology);
/// What the input names, of auto the usual one: the method where nothing is compared.
[[nodiscard]] config::PartitionMethod method_of(const config::Settings& settings,
                                                const topology::Topology& topology);

/// Which looks at contacts, and which one rank does for all, for METIS has a part in it.
[[nodiscard]] bool cuts_a_graph(config::PartitionMethod method);

/// Of how many units at most a map for so many ranks is sought while steps go on, if chains are
/// long enough: few, so that it comes soon, but enough of each rank for it to be even.
[[nodiscard]] inline std::int64_t sought_units_at_most(int ranks) {
  constexpr std::int64_t fewest = 20'000, of_each = 2'500;
  return std::max(fewest, of_each * ranks);
}
/// Residues of the units of chains that such a map gives a rank together: 1 where each is looked
/// at, as contacts want it and wherever methods are compared.
[[nodiscard]] int residues_of_sought_unit(const config::Settings& settings,
                                          const topology::Topology& topology, std::int64_t residues,
                                          std::int64_t most_units);

/// One for each method but random, in the order of a table. state, speed, node, work: as owners()
/// has them. At most compared_ranks_at_most ranks.
[[nodiscard]] std::vector<PartitionFigures> compare_partitions(
    const config::Settings& settings, const topology::Topology& topology,
    const system::State& state, int rank_count, std::span<const double> speed = {},
    std::span<const int> node = {}, std::span<const double> work = {});

/// The one with the shortest predicted step, or one that is preferred.
[[nodiscard]] const PartitionFigures& best_partition(std::span<const PartitionFigures> compared,
                                                     const Preference& preference);

/// Whether the settings ask for a comparison on so many ranks: auto does, where it takes no
/// seconds.
[[nodiscard]] bool compares(const config::Settings& settings, const topology::Topology& topology,
                            int rank_count);

/// " takes clusters (predicted step 29.4 us; residue-ranges 30.3, recursive-bisection 30.9)"
[[nodiscard]] std::string comparison_in_words(std::span<const PartitionFigures> compared,
                                              config::PartitionMethod taken);

}  // namespace nfold::setup
