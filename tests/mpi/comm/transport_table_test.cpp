// Transport table of regrouped ranks: all ranks of a group measure together, or none does.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transport_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/rank_locations.hpp"
#include "device/hardware/choice.hpp"

namespace nfold::comm {
namespace {

class RegroupedRanks : public testing::Test {
 protected:
  /// Simulated time of a group: the sum of rank + 1 over its ranks. Collective in the group; if
  /// some ranks did not measure, this call would hang until the time limit of the test.
  void measure(const comm::Communicator& group, TransportTrial& trial) {
    ++measurements_;
    trial.microseconds = {static_cast<double>(group.sum(std::int64_t{world_.rank()} + 1)), 7};
  }
  [[nodiscard]] static std::vector<TransportTrial> two_transports() {
    return {{Transport::peer_memory, {}, {}},
            {Transport::nccl, "posed as impossible", {}},
            {Transport::mpi, {}, {}}};
  }
  /// Result of this rank; empty unless it is a member of the group.
  struct Found {
    bool is_member = false, has_measured = false, is_common = false;
    std::vector<TransportTrial> trials;
  };
  Found choose_transport(const std::vector<int>& members, const TrialKind& kind = {4, true}) {
    Found found;
    found.is_member = std::find(members.begin(), members.end(), world_.rank()) != members.end();
    if (!found.is_member) return found;
    const auto group = world_.group(members, 0);
    found.trials = two_transports();
    found.has_measured = table_.fill(group, kind, found.trials,
                                     [&](TransportTrial& trial) { measure(group, trial); });
    const auto chosen = static_cast<std::int64_t>(choose(Transport::automatic, found.trials));
    const auto time = static_cast<std::int64_t>(found.trials.back().microseconds.front());
    found.is_common = group.min(chosen) == group.max(chosen) && group.min(time) == group.max(time);
    return found;
  }
  void expect(const Found& found, bool has_measured, std::int64_t sum, const char* what) {
    if (!found.is_member) return;
    EXPECT_EQ(found.has_measured, has_measured) << what;
    EXPECT_TRUE(found.is_common) << what;
    EXPECT_EQ(found.trials.front().microseconds.front(), static_cast<double>(sum)) << what;
    EXPECT_TRUE(found.trials[1].microseconds.empty()) << what;
  }
  [[nodiscard]] std::int64_t sum_of_all() const {
    return std::int64_t{world_.size()} * (world_.size() + 1) / 2;
  }
  [[nodiscard]] std::vector<int> all_ranks() const {
    std::vector<int> all(static_cast<std::size_t>(world_.size()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  comm::Communicator world_ = comm::Communicator::world();
  TransportTable table_{world_.rank()};
  int measurements_ = 0;
};

TEST_F(RegroupedRanks, MeasureIfOneIsNewToTheGroup) {
  // Rank 1 has measured in a group of two before, rank 2 has not.
  expect(choose_transport({0, 1}), true, 3, "{0,1}");
  expect(choose_transport({1, 2}), true, 5, "{1,2}");
  expect(choose_transport(all_ranks()), true, sum_of_all(), "all");
  // All ranks have all results now and reuse them.
  const int before = measurements_;
  expect(choose_transport({0, 1}), false, 3, "{0,1} again");
  expect(choose_transport({1, 2}), false, 5, "{1,2} again");
  expect(choose_transport(all_ranks()), false, sum_of_all(), "all again");
  EXPECT_EQ(measurements_, before);
}

TEST_F(RegroupedRanks, AreAnotherGroupInAnotherOrder) {
  expect(choose_transport({0, 1}), true, 3, "{0,1}");
  expect(choose_transport({1, 0}), true, 3, "{1,0}");
  expect(choose_transport({0, 1}, {8, true}), true, 3, "another precision");
  expect(choose_transport({0, 1}, {4, false}), true, 3, "steps not recorded");
  expect(choose_transport({0, 1}), false, 3, "{0,1} again");
}

TEST_F(RegroupedRanks, MeasureAgainIfOneHasNoResults) {
  expect(choose_transport(all_ranks()), true, sum_of_all(), "all");
  if (world_.rank() == 1) table_ = TransportTable(1);
  expect(choose_transport(all_ranks()), true, sum_of_all(), "rank 1 knows nothing");
  expect(choose_transport(all_ranks()), false, sum_of_all(), "all know again");
}

TEST_F(RegroupedRanks, MeasureAgainIfResultsDiffer) {
  auto trials = two_transports();
  // Violates the contract of a measurement: each rank stores a different time.
  EXPECT_TRUE(table_.fill(world_, {4, true}, trials, [&](TransportTrial& trial) {
    trial.microseconds = {1.0 + world_.rank(), 1};
  }));
  expect(choose_transport(all_ranks()), true, sum_of_all(), "unlike");
}

TEST_F(RegroupedRanks, RememberFailedTransports) {
  const auto failing = [](TransportTrial& trial) {
    if (trial.transport == Transport::peer_memory) {
      trial.obstacle = "its trial failed";
    } else {
      trial.microseconds = {3, 4};
    }
  };
  for (const bool is_first : {true, false}) {
    auto trials = two_transports();
    EXPECT_EQ(table_.fill(world_, {4, true}, trials, failing), is_first);
    EXPECT_EQ(trials.front().obstacle, "its trial failed");
    EXPECT_EQ(choose(Transport::automatic, trials), Transport::mpi);
  }
}

TEST_F(RegroupedRanks, SkipMeasuringASingleTransport) {
  std::vector<TransportTrial> trials{{Transport::nccl, "none", {}}, {Transport::mpi, {}, {}}};
  EXPECT_FALSE(table_.fill(world_, {4, true}, trials, [&](TransportTrial&) { ++measurements_; }));
  EXPECT_EQ(measurements_, 0);
}

TEST(JobDevices, CountSharingOverAllRanks) {
  const auto world = comm::Communicator::world();
  const auto places = comm::gather_rank_locations(world, comm::no_gpu);
  EXPECT_EQ(places.size(), static_cast<std::size_t>(world.size()));
  const auto sharing = comm::count_sharing_ranks(places, world.rank());
  EXPECT_EQ(sharing.of_node, world.size());
  EXPECT_EQ(sharing.of_device, world.size());
  // Each rank sees one GPU of its own; then all ranks see the same two.
  comm::GpuId own{};
  own.front() = static_cast<char>('a' + world.rank());
  const auto chosen = [&world](std::initializer_list<comm::GpuId> seen) {
    const auto offers = hardware::list_offers(seen, {}, {});
    const auto at = static_cast<std::size_t>(world.rank());
    return hardware::choose_gpus(world, offers, {}).by_rank[at];
  };
  EXPECT_EQ(chosen({own}), 0U);
  EXPECT_EQ(
      comm::count_sharing_ranks(comm::gather_rank_locations(world, own), world.rank()).of_device,
      1);
  comm::GpuId first{}, second{};
  first.front() = 'x';
  second.front() = 'y';
  EXPECT_EQ(chosen({first, second}), static_cast<std::size_t>(world.rank() % 2));
}

}  // namespace
}  // namespace nfold::comm
