// Choice of partition method: shortest estimated step, with preferred methods.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/partition_choice.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/rank_counts.hpp"
#include "input/input.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"
#include "support/condensates.hpp"
#include "support/systems.hpp"

namespace nfold::setup {
namespace {

using input::PartitionMethod;

PartitionFigures make_figures(PartitionMethod method, double step_seconds) {
  PartitionFigures figures;
  figures.method = method;
  figures.step_seconds = step_seconds;
  return figures;
}

TEST(PartitionChoice, TakesTheUsualMethodWithinThreePercent) {
  std::vector<PartitionFigures> compared{make_figures(PartitionMethod::residue_ranges, 1.029),
                                         make_figures(PartitionMethod::hilbert_curve, 1.2),
                                         make_figures(PartitionMethod::clusters, 1)};
  const auto taken = [&] {
    return best_partition(compared, {PartitionMethod::residue_ranges, false}).method;
  };
  EXPECT_EQ(taken(), PartitionMethod::residue_ranges);
  compared[0].step_seconds = 1.031;
  EXPECT_EQ(taken(), PartitionMethod::clusters);
  compared[1].step_seconds = 0.5;
  EXPECT_EQ(taken(), PartitionMethod::hilbert_curve);
}

TEST(PartitionChoice, PrefersClustersWithinOnePercent) {
  std::vector<PartitionFigures> compared{make_figures(PartitionMethod::residue_ranges, 1),
                                         make_figures(PartitionMethod::clusters, 1.009)};
  const auto taken = [&](bool prefers_clusters) {
    return best_partition(compared, {PartitionMethod::residue_ranges, prefers_clusters}).method;
  };
  EXPECT_EQ(taken(true), PartitionMethod::clusters);
  EXPECT_EQ(taken(false), PartitionMethod::residue_ranges);
  compared[1].step_seconds = 1.011;
  EXPECT_EQ(taken(true), PartitionMethod::residue_ranges);
}

TEST(PartitionChoice, PrefersClustersOfNativeContacts) {
  EXPECT_TRUE(preference_for(test::ubiquitin(1)).prefers_clusters);
  EXPECT_EQ(preference_for(test::ubiquitin(2)).usual, PartitionMethod::recursive_bisection);
  EXPECT_FALSE(preference_for(test::condensate({})).prefers_clusters);
}

TEST(PartitionChoice, ComparesSmallSystemsOnly) {
  input::Settings settings;
  topology::Topology topology;
  topology.residues.items().resize(static_cast<std::size_t>(max_compared_residues));
  EXPECT_FALSE(compares(settings, topology, 1));
  EXPECT_TRUE(compares(settings, topology, 2));
  EXPECT_TRUE(compares(settings, topology, max_compared_ranks));
  EXPECT_FALSE(compares(settings, topology, max_compared_ranks + 1));
  topology.residues.emplace_back();
  EXPECT_FALSE(compares(settings, topology, 2));
  settings.partition.method = PartitionMethod::clusters;
  topology.residues.clear();
  EXPECT_FALSE(compares(settings, topology, 2));
}

TEST(PartitionChoice, ComparedFiguresAreConsistent) {
  const auto topology = test::ubiquitin(4);
  const auto state = test::shaken_native(topology, 0, 1);
  const input::Settings settings;
  const auto compared = compare_partitions(settings, topology, state, 2);
  ASSERT_EQ(compared.size(), 5U) << "all methods but random";
  for (const auto& one : compared) {
    EXPECT_EQ(one.owner.size(), topology.residues.size());
    EXPECT_GE(one.ghosts, one.most_ghosts);
    EXPECT_EQ(one.exchange_bytes(), 12 * one.ghosts);  // each ghost is sent once, by its owner
    EXPECT_EQ(one.between_nodes.rows, 0);
    EXPECT_GT(one.balance, 0.9);
    EXPECT_LE(one.balance, 1);
    EXPECT_GT(one.efficiency, 0.3);
    EXPECT_LT(one.efficiency, 1);
  }
  // Two molecules for each rank: nothing is cut.
  int whole = 0;
  for (const auto& one : compared) {
    const bool is_whole =
        one.method == PartitionMethod::residue_ranges || one.method == PartitionMethod::clusters;
    EXPECT_TRUE(!is_whole || one.contacts_cut == 0) << method_name(one.method);
    whole += is_whole ? 1 : 0;
  }
  EXPECT_EQ(whole, 2);
}

TEST(PartitionChoice, SpeedsDecideWorkAndBalance) {
  const auto topology = test::ubiquitin(4);
  const auto state = test::shaken_native(topology, 0, 1);
  const std::vector<double> speed{100, 50, 50};
  for (const auto& one : compare_partitions({}, topology, state, 3, speed)) {
    ASSERT_EQ(one.ranks.size(), 3U);
    EXPECT_DOUBLE_EQ(one.ranks[0].speed, 1.5);
    if (one.method == PartitionMethod::domains) continue;  // Domains stay whole.
    EXPECT_NEAR(one.ranks[0].work_share, 0.5, 0.03) << method_name(one.method);
    EXPECT_GT(one.balance, 0.93) << method_name(one.method);
  }
}

/// Rows that cross nodes with a partition that knows none.
std::int64_t flat_rows(input::Settings settings, PartitionMethod method,
                       const topology::Topology& topology, const system::State& state,
                       const std::vector<int>& node) {
  settings.partition.method = method;
  const int ranks = static_cast<int>(node.size());
  const auto flat = owners(settings, topology, state, ranks);
  std::int64_t rows = 0;
  const auto engine_keys = engine_settings(settings);
  const engine::CompleteSystem system{topology, state, engine_keys};
  for (const auto& rank :
       engine::count_ranks(system, engine::sample_neighbours(system), flat, ranks, node)) {
    rows += rank.halo.sent_far;
  }
  return rows;
}

/// Nodes of two and of four ranks; also with ranks placed on nodes in turn, as by some launchers.
/// METIS minimises weights rather than rows, and rows of a small protein scatter: hence 2 %, and no
/// clusters of chains without contacts.
TEST(PartitionChoice, NodesFirstSendNoMoreAcrossNodes) {
  const comm::Communicator alone;
  for (const char* const file : {"/protease-dimer.yaml", "/calvados2-slab.yaml"}) {
    const std::filesystem::path path = std::string(NFOLD_INPUT) + file;
    const auto settings = input::parse_input(input::read_input_text(path), path.string(), {});
    const auto system = build_system(alone, settings, path);
    const auto state = first_state(alone, settings, path, system.topology).state;
    for (const auto& node :
         {std::vector<int>{0, 0, 1, 1}, std::vector<int>{0, 1, 0, 1},
          std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1}, std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1}}) {
      const int ranks = static_cast<int>(node.size());
      for (const auto& one :
           compare_partitions(settings, system.topology, state, ranks, {}, node)) {
        EXPECT_GT(one.between_nodes.rows, 0);
        EXPECT_EQ(one.within_nodes.rows + one.between_nodes.rows, one.ghosts);
        if (uses_graph(one.method) && system.topology.contact_count() == 0) continue;
        const auto flat = flat_rows(settings, one.method, system.topology, state, node);
        EXPECT_LE(static_cast<double>(one.between_nodes.rows), 1.02 * static_cast<double>(flat))
            << file << ", " << method_name(one.method) << " on " << ranks << " ranks";
      }
    }
  }
}

}  // namespace
}  // namespace nfold::setup
