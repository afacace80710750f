// Idle ranks: they wait, are claimed once, join by invitation and leave when all work is done.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/idle_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

namespace nfold::comm {
namespace {

using namespace std::chrono_literals;

TEST(IdleRanks, LeaveWhenNoRankWorks) {
  const auto world = Communicator::world();
  // All ranks of a node read the same steady clock.
  const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
  IdleRanks idle(world);
  if (world.is_root()) std::this_thread::sleep_for(30ms);
  const std::int64_t became_idle = now();
  EXPECT_FALSE(idle.wait().has_value());
  const std::int64_t left = now();
  EXPECT_GE(world.min(left), world.max(became_idle)) << "a rank left while another worked";
}

TEST(IdleRanks, DoNotWaitForRanksThatLeft) {
  const auto world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  IdleRanks idle(world);
  if (world.is_root()) {
    idle.leave();
  } else {
    EXPECT_FALSE(idle.wait().has_value());
  }
}

TEST(IdleRanks, JoinByInvitation) {
  const auto world = Communicator::world();
  IdleRanks idle(world);
  std::vector<int> all_ranks(static_cast<std::size_t>(world.size()));
  std::iota(all_ranks.begin(), all_ranks.end(), 0);
  const auto others = std::span<const int>(all_ranks).subspan(1);
  if (world.is_root()) {
    while (idle.idle().size() < others.size()) std::this_thread::sleep_for(1ms);
    const auto claimed = idle.claim(others);
    EXPECT_EQ(claimed, std::vector<int>(others.begin(), others.end()));
    EXPECT_TRUE(idle.idle().empty());
    EXPECT_TRUE(idle.claim(others).empty()) << "claimed twice";
    idle.invite(claimed, 7, all_ranks);
    const auto group = world.group(all_ranks, 7);
    EXPECT_EQ(group.sum(std::int64_t{1}), world.size());
  } else {
    const auto invitation = idle.wait();
    EXPECT_TRUE(invitation.has_value());
    if (invitation) {
      EXPECT_EQ(invitation->item, 7);
      EXPECT_EQ(invitation->members, all_ranks);
    }
    const auto group = world.group(all_ranks, 7);
    EXPECT_EQ(group.sum(std::int64_t{1}), world.size());
  }
  EXPECT_FALSE(idle.wait().has_value()) << "all work is done";
}

TEST(IdleRanks, AreIdleAgainAfterRelease) {
  const auto world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  IdleRanks idle(world);
  if (world.is_root()) {
    while (idle.idle().empty()) std::this_thread::sleep_for(1ms);
    const int first = idle.idle().front();
    const auto claimed = idle.claim(std::span<const int>(&first, 1));
    EXPECT_EQ(claimed, std::vector<int>{first});
    std::this_thread::sleep_for(30ms);  // it must not leave meanwhile
    idle.release(claimed);
    EXPECT_EQ(idle.claim(claimed), claimed);
    idle.release(claimed);
  }
  EXPECT_FALSE(idle.wait().has_value());
}

TEST(IdleRanks, AreClaimedByOneRankOnly) {
  const auto world = Communicator::world();
  if (world.size() < 3) GTEST_SKIP() << "needs two at work";
  IdleRanks idle(world);
  std::int64_t mine = 0;
  const int last = world.size() - 1;
  if (world.rank() != last) {
    const auto is_taken = [&] {
      const auto published = idle.published_work();
      return std::any_of(published.begin(), published.end(),
                         [](const OpenWork& work) { return work.remaining_milliseconds > 0; });
    };
    while (mine == 0 && !is_taken()) {
      const auto claimed = idle.claim(std::span<const int>(&last, 1));
      if (claimed.empty()) continue;
      mine = 1;
      idle.publish_work({1, 1, 1});
      idle.invite(claimed, 3, claimed);
    }
  } else {
    const auto invitation = idle.wait();
    EXPECT_TRUE(invitation.has_value());
    if (invitation) {
      EXPECT_EQ(invitation->members, std::vector<int>{last});
    }
  }
  EXPECT_EQ(world.sum(mine), 1);
  EXPECT_FALSE(idle.wait().has_value());
}

TEST(IdleRanks, SeePublishedWorkOfAllRanks) {
  const auto world = Communicator::world();
  IdleRanks idle(world);
  idle.publish_work({std::int64_t{1000} * (world.rank() + 1), world.rank() + 1, 9});
  world.barrier();
  const auto published = idle.published_work();
  EXPECT_EQ(published.size(), static_cast<std::size_t>(world.size()));
  for (int rank = 0; rank < static_cast<int>(published.size()); ++rank) {
    const auto& one = published[static_cast<std::size_t>(rank)];
    EXPECT_EQ(one.remaining_milliseconds, 1000 * (rank + 1));
    EXPECT_EQ(one.ranks, rank + 1);
    EXPECT_EQ(one.most_ranks, 9);
  }
  world.barrier();
  EXPECT_FALSE(idle.wait().has_value());
  world.barrier();
  for (const auto& one : idle.published_work()) EXPECT_EQ(one.remaining_milliseconds, 0);
}

}  // namespace
}  // namespace nfold::comm
