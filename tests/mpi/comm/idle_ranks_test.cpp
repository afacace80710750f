// Idle ranks wait, are claimed by one, come where they are invited, and leave when all work is
// done. SPDX-License-Identifier: BSD-3-Clause
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

TEST(IdleRanks, LeaveWhenNobodyIsAtWork) {
  const auto world = Communicator::world();
  IdleRanks idle(world);
  if (world.is_root()) std::this_thread::sleep_for(30ms);
  EXPECT_FALSE(idle.wait().has_value());
}

TEST(IdleRanks, WhoLeavesIsWaitedForByNobody) {
  const auto world = Communicator::world();
  IdleRanks idle(world);
  if (world.is_root()) {
    idle.leave();
  } else {
    EXPECT_FALSE(idle.wait().has_value());
  }
}

TEST(IdleRanks, AreInvitedToTheWorkOfAnother) {
  const auto world = Communicator::world();
  IdleRanks idle(world);
  std::vector<int> everyone(static_cast<std::size_t>(world.size()));
  std::iota(everyone.begin(), everyone.end(), 0);
  const auto others = std::span<const int>(everyone).subspan(1);
  if (world.is_root()) {
    while (idle.idle().size() < others.size()) std::this_thread::sleep_for(1ms);
    const auto claimed = idle.claim(others);
    EXPECT_EQ(claimed, std::vector<int>(others.begin(), others.end()));
    EXPECT_TRUE(idle.idle().empty());
    EXPECT_TRUE(idle.claim(others).empty()) << "claimed twice";
    idle.invite(claimed, 7, everyone);
    const auto group = world.group(everyone, 7);
    EXPECT_EQ(group.sum(std::int64_t{1}), world.size());
  } else {
    const auto invitation = idle.wait();
    ASSERT_TRUE(invitation.has_value());
    EXPECT_EQ(invitation->item, 7);
    EXPECT_EQ(invitation->members, everyone);
    const auto group = world.group(invitation->members, 7);
    EXPECT_EQ(group.sum(std::int64_t{1}), world.size());
  }
  EXPECT_FALSE(idle.wait().has_value()) << "all work is done";
}

TEST(IdleRanks, AreIdleAgainOnceReleased) {
  const auto world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  IdleRanks idle(world);
  if (world.is_root()) {
    while (idle.idle().empty()) std::this_thread::sleep_for(1ms);
    const int first = idle.idle().front();
    const auto claimed = idle.claim(std::span<const int>(&first, 1));
    ASSERT_EQ(claimed.size(), 1U);
    std::this_thread::sleep_for(30ms);  // it must not leave meanwhile
    idle.release(claimed);
    EXPECT_EQ(idle.claim(claimed), claimed);
    idle.release(claimed);
  }
  EXPECT_FALSE(idle.wait().has_value());
}

TEST(IdleRanks, OneOfSeveralWhoClaimGetsARank) {
  const auto world = Communicator::world();
  if (world.size() < 3) GTEST_SKIP() << "needs two at work";
  IdleRanks idle(world);
  std::int64_t mine = 0;
  const int last = world.size() - 1;
  if (world.rank() != last) {
    const auto another_has_it = [&] {
      const auto told = idle.told();
      return std::any_of(told.begin(), told.end(),
                         [](const OpenWork& work) { return work.rest_milliseconds > 0; });
    };
    while (mine == 0 && !another_has_it()) {
      const auto claimed = idle.claim(std::span<const int>(&last, 1));
      if (claimed.empty()) continue;
      mine = 1;
      idle.tell({1, 1, 1});
      idle.invite(claimed, 3, claimed);
    }
  } else {
    const auto invitation = idle.wait();
    ASSERT_TRUE(invitation.has_value());
    EXPECT_EQ(invitation->members, std::vector<int>{last});
  }
  EXPECT_EQ(world.sum(mine), 1);
  EXPECT_FALSE(idle.wait().has_value());
}

TEST(IdleRanks, KnowWhatOthersTellOfTheirWork) {
  const auto world = Communicator::world();
  IdleRanks idle(world);
  idle.tell({std::int64_t{1000} * (world.rank() + 1), world.rank() + 1, 9});
  world.barrier();
  const auto told = idle.told();
  ASSERT_EQ(told.size(), static_cast<std::size_t>(world.size()));
  for (int rank = 0; rank < world.size(); ++rank) {
    const auto& one = told[static_cast<std::size_t>(rank)];
    EXPECT_EQ(one.rest_milliseconds, 1000 * (rank + 1));
    EXPECT_EQ(one.ranks, rank + 1);
    EXPECT_EQ(one.most_ranks, 9);
  }
  world.barrier();
  EXPECT_FALSE(idle.wait().has_value());
  world.barrier();
  for (const auto& one : idle.told()) EXPECT_EQ(one.rest_milliseconds, 0);
}

}  // namespace
}  // namespace nfold::comm
