// Clusters and contact maps, by hand-made frames.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/clusters.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/contact_maps.hpp"
#include "chains.hpp"

namespace {

namespace analysis = nfold::analysis;
using analysis::Point;
using nfold::analysis_tests::chains_of;
using nfold::analysis_tests::find;

TEST(Clusters, JoinAcrossPeriodicBoundary) {
  // Dimers in a box of 10: 0 and 1 touch across the boundary along x, 1 and 2 inside; 3 is
  // isolated.
  const auto topology = chains_of({{4, 2}}, {10, 10, 10});
  const std::vector<Point> x{{9.8, 5, 5}, {9.4, 5, 5}, {0.5, 5, 5},  {1, 5, 5},
                             {1.8, 5, 5}, {2.2, 5, 5}, {6, 25, 5.5}, {6, 25, 6}};
  EXPECT_EQ(analysis::cluster_sizes(topology, x, 0.9), (std::vector<int>{3, 1}));
  EXPECT_EQ(analysis::cluster_sizes(topology, x, 0.75), (std::vector<int>{2, 1, 1}));
  EXPECT_EQ(analysis::cluster_sizes(topology, x, 0.6), (std::vector<int>{1, 1, 1, 1}));
}

TEST(Clusters, AverageOverFrames) {
  const auto topology = chains_of({{4, 2}}, {10, 10, 10});
  const std::vector<Point> two{{9.8, 5, 5}, {9.4, 5, 5}, {0.5, 5, 5}, {1, 5, 5},
                               {3, 1, 1},   {3.4, 1, 1}, {3, 2, 1},   {3, 2.4, 1}};
  auto alone = two;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const std::size_t chain = i / 2;
    alone[i][2] += 2.0 * static_cast<double>(chain);
  }
  analysis::Clusters clusters(topology, 1.1);
  clusters.add({0, two, {}});
  clusters.add({1, alone, {}});
  const auto results = clusters.results();
  EXPECT_EQ(find(results, "clusters/count_of_size").values, (std::vector<double>{2, 1, 0, 0}));
  EXPECT_EQ(find(results, "clusters/chain_fraction").values, (std::vector<double>{0.5, 0.5, 0, 0}));
  EXPECT_EQ(find(results, "clusters/largest_distribution").values,
            (std::vector<double>{0.5, 0.5, 0, 0}));
  EXPECT_EQ(find(results, "clusters/number").values[0], 3);
  EXPECT_EQ(find(results, "clusters/largest").values[0], 1.5);
  EXPECT_EQ(find(results, "clusters/weighted_size").values[0], 1.5);
}

TEST(ContactMaps, CountContactsByResidueIndex) {
  // Species 0 is two dimers, species 1 one trimer, in a box of 10.
  const auto topology = chains_of({{2, 2}, {1, 3}}, {10, 10, 10});
  const std::vector<Point> x{{0.1, 0, 0},   {0.1, 0.5, 0},                    // chain 0
                             {9.9, 0, 0},   {9.1, 5, 0},                      // chain 1
                             {9.1, 5.3, 0}, {8, 8, 8},     {0.1, 0.5, 0.3}};  // chain 2
  analysis::ContactMaps maps(topology, 0.55);
  maps.add({0, x, {}});
  maps.add({1, x, {}});
  const auto results = maps.results();
  using Values = std::vector<double>;
  EXPECT_EQ(find(results, "contact_maps/within_0").values, (Values{0, 0.5, 0.5, 0}));
  EXPECT_EQ(find(results, "contact_maps/within_0_per_chain").values, Values{0.5});
  // Contacts across the boundary: residue 0 of chain 1 with residue 0 of chain 0 and, 0.2 and 0.5
  // apart (0.539), with residue 1 of chain 0.
  EXPECT_EQ(find(results, "contact_maps/between_0_0").values, (Values{1, 0.5, 0.5, 0}));
  EXPECT_EQ(find(results, "contact_maps/between_0_0_per_chain").values, Values{2});
  // Residue 1 of chain 1 touches 0 of chain 2, and 1 of chain 0 touches 2 of chain 2. Residue 0 of
  // chain 0 is 0.583 away.
  EXPECT_EQ(find(results, "contact_maps/between_0_1").values, (Values{0, 0, 0, 0.5, 0, 0.5}));
  EXPECT_EQ(find(results, "contact_maps/between_0_1_per_chain").values, Values{1});
  EXPECT_EQ(find(results, "contact_maps/within_1").values, Values(9, 0));
  EXPECT_EQ(find(results, "contact_maps/within_1_per_chain").values, Values{0});
  EXPECT_EQ(find(results, "contact_maps/between_1_1").values, Values(9, 0));
}

}  // namespace
