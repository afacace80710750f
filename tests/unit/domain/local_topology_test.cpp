// Local terms of a rank against their definition, for random and hand-made partitions.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/local_topology.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/random_topology.hpp"

namespace nfold::domain {
namespace {

using testing_support::random_topology;

TEST(LocalTerms, MatchHandMadePartition) {
  const auto topology = random_topology(5, 0, 1);  // 4 bonds, 3 angles, 2 dihedrals, 1 restraint
  const Ownership owner{0, 0, 1, 1, 1};
  const auto first = local_terms(topology, owner, 0, 3);
  EXPECT_EQ(first.of<topology::BondKind>(), (std::vector<int>{0, 1}));
  EXPECT_EQ(first.of<topology::AngleKind>(), (std::vector<int>{0, 1}));
  EXPECT_EQ(first.of<topology::DihedralKind>(), (std::vector<int>{0, 1}));
  EXPECT_EQ(first.of<topology::RestraintKind>(), (std::vector<int>{0}));
  EXPECT_EQ(first.partners, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(first.wanted, (std::vector<std::vector<int>>{{}, {0, 1}, {}}));
  const auto second = local_terms(topology, owner, 1, 3);
  EXPECT_EQ(second.of<topology::BondKind>(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(second.partners, (std::vector<int>{0, 1}));
  EXPECT_EQ(second.wanted, (std::vector<std::vector<int>>{{2, 3, 4}, {}, {}}));
  const auto third = local_terms(topology, owner, 2, 3);
  for (const auto& kind : third.kind) EXPECT_TRUE(kind.empty());
  EXPECT_TRUE(third.partners.empty());
}

TEST(LocalTerms, MatchDefinition) {
  const auto topology = random_topology(300, 400, 3);
  constexpr int ranks = 4;
  const auto owner = random_owners(300, ranks, 5);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto local = local_terms(topology, owner, rank, ranks);
    std::set<int> partners;
    std::vector<std::set<int>> wanted(ranks);
    for (std::size_t k = 0; k < term_kinds; ++k) {
      std::vector<int> expected;
      for_each_term(topology, k, [&](int term, const auto& ids) {
        bool is_local = false;
        for (const int a : ids) {
          if (owner[static_cast<std::size_t>(a)] != rank) continue;
          is_local = true;
          for (const int b : ids) {
            const int other = owner[static_cast<std::size_t>(b)];
            if (other == rank) continue;
            partners.insert(b);
            wanted[static_cast<std::size_t>(other)].insert(a);
          }
        }
        if (is_local) expected.push_back(term);
      });
      EXPECT_EQ(local.kind[k], expected) << "kind " << k;
    }
    EXPECT_EQ(local.partners, std::vector<int>(partners.begin(), partners.end()));
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      EXPECT_EQ(local.wanted[peer], std::vector<int>(wanted[peer].begin(), wanted[peer].end()));
    }
  }
}

TEST(LocalTerms, OneRankHasAllTermsAndNoPartners) {
  const auto topology = random_topology(40, 30, 2);
  const auto local = local_terms(topology, Ownership(40, 0), 0, 1);
  for (std::size_t k = 0; k < term_kinds; ++k) {
    std::vector<int> all;
    for_each_term(topology, k, [&all](int term, const auto&) { all.push_back(term); });
    EXPECT_EQ(local.kind[k], all);
  }
  EXPECT_TRUE(local.partners.empty());
  EXPECT_EQ(local.wanted, std::vector<std::vector<int>>(1));
}

TEST(LocalTerms, RefuseInvalidPartition) {
  const auto topology = random_topology(5, 0, 1);
  EXPECT_THROW((void)local_terms(topology, Ownership(4, 0), 0, 1), std::invalid_argument);
  EXPECT_THROW((void)local_terms(topology, Ownership(5, 1), 0, 1), std::invalid_argument);
  EXPECT_THROW((void)local_terms(topology, Ownership(5, -1), 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::domain
