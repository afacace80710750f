// Partitioners by id: equal work, every rank in range, reproducibility.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace nfold::domain {
namespace {

TEST(ResidueRanges, AreConsecutiveWithEqualWork) {
  std::vector<double> work(1000);
  for (std::size_t id = 0; id < work.size(); ++id) work[id] = 1.0 + static_cast<double>(id % 7);
  for (const int ranks : {1, 2, 3, 7}) {
    const auto owner = residue_ranges(work, ranks);
    ASSERT_EQ(owner.size(), work.size());
    ASSERT_TRUE(std::is_sorted(owner.begin(), owner.end()));
    ASSERT_GE(owner.front(), 0);
    ASSERT_LT(owner.back(), ranks);
    std::vector<double> load(static_cast<std::size_t>(ranks), 0);
    for (std::size_t id = 0; id < work.size(); ++id) {
      load[static_cast<std::size_t>(owner[id])] += work[id];
    }
    const double share = std::accumulate(work.begin(), work.end(), 0.0) / ranks;
    for (const double rank_load : load) EXPECT_NEAR(rank_load, share, 7.0);  // the heaviest residue
  }
}

TEST(ResidueRanges, LeaveRanksEmptyIfResiduesAreFew) {
  const std::vector<double> work(2, 1.0);
  const auto owner = residue_ranges(work, 5);
  EXPECT_EQ(owner, (Ownership{1, 3}));
  EXPECT_TRUE(residue_ranges({}, 3).empty());
  const std::vector<double> idle(3, 0.0);
  EXPECT_EQ(residue_ranges(idle, 2), (Ownership{0, 0, 0}));
}

TEST(ResidueRanges, RefuseInvalidWork) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW((void)residue_ranges(std::vector<double>{1.0, bad}, 2), std::invalid_argument);
  }
  EXPECT_THROW((void)residue_ranges(std::vector<double>{1.0}, 0), std::invalid_argument);
}

TEST(RandomOwners, UseAllRanksAndFollowSeed) {
  const auto owner = random_owners(3000, 3, 17);
  for (int rank = 0; rank < 3; ++rank) {
    // Standard deviation of the count: sqrt(3000 * 2 / 9) = 26.
    EXPECT_NEAR(std::count(owner.begin(), owner.end(), rank), 1000, 130);
  }
  EXPECT_EQ(owner, random_owners(3000, 3, 17));
  EXPECT_NE(owner, random_owners(3000, 3, 18));
}

TEST(ContactsCut, CountsContactsOfTwoOwners) {
  topology::Topology t;
  t.residues.items().resize(5);
  t.bonds.push_back({0, 3, 0.38, 1});
  t.contacts_12_10.push_back({0, 4, 0.6, 1});
  t.contacts_gaussian.push_back({0, 2, 0.6, 1, 0.05, 0});
  EXPECT_EQ(contacts_cut(t, {0, 0, 0, 1, 2}), 1);
  EXPECT_EQ(contacts_cut(t, {0, 0, 1, 1, 2}), 2);
  EXPECT_EQ(contacts_cut(t, Ownership(5, 2)), 0);
}

TEST(LoadImbalance, IsLargestLoadOverMean) {
  const std::vector<double> work{1, 2, 3, 2};
  EXPECT_DOUBLE_EQ(load_imbalance(work, {0, 1, 0, 1}, 2), 1.0);
  EXPECT_DOUBLE_EQ(load_imbalance(work, {0, 0, 0, 1}, 2), 1.5);
  EXPECT_DOUBLE_EQ(load_imbalance(work, {0, 0, 0, 0}, 4), 4.0);
  EXPECT_DOUBLE_EQ(load_imbalance({}, {}, 3), 1.0);
}

}  // namespace
}  // namespace nfold::domain
