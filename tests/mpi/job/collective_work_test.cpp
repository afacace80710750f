// What one rank meets alone is met by all, or ends all; what orders a batch's queue is one order.
// SPDX-License-Identifier: BSD-3-Clause
#include "job/collective_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch/plan.hpp"
#include "job/refusal.hpp"
#include "storage/file_error.hpp"

namespace nfold::job {
namespace {

class Meeting : public testing::Test {
 protected:
  /// What on_all() threw here, and its exit code.
  struct Heard {
    std::string text = "nothing";
    ExitCode exit_code = ExitCode::done;
  };
  template <class Action>
  Heard heard_of(const Action& action) {
    try {
      on_all(world_, action);
    } catch (const std::exception& failure) {
      return {failure.what(), exit_code_of(failure)};
    }
    return {};
  }
  const comm::Communicator world_ = comm::Communicator::world();
  const int last_ = world_.size() - 1;
};

TEST_F(Meeting, OfAllRanksWhereOneFails) {
  const auto refused = heard_of([&] {
    if (world_.rank() == last_) refuse("replica 7", "finds no room", "take a larger box");
  });
  EXPECT_EQ(refused.text, "replica 7: finds no room (take a larger box)");
  EXPECT_EQ(refused.exit_code, ExitCode::wrong_input);
  const auto unwritten = heard_of(
      [&] { throw storage::FileError("disk full on rank " + std::to_string(world_.rank())); });
  EXPECT_EQ(unwritten.text, "disk full on rank 0") << "the lowest rank speaks";
  EXPECT_EQ(unwritten.exit_code, ExitCode::failed);
  EXPECT_EQ(heard_of([] {}).text, "nothing");
  EXPECT_EQ(world_.sum(1), world_.size()) << "and all are in step again";
}

TEST_F(Meeting, IsNotOfAFailureThatEndsAll) {
  // All throw here, so that none waits; a rank alone would be ended by run_together().
  EXPECT_THROW(on_all(world_, [] { throw std::logic_error("a broken device"); }), std::logic_error);
}

TEST_F(Meeting, IsNotAwaitedByRanksWithWorkOfTheirOwn) {
  const auto work = [this] { apart(world_, [] { throw storage::FileError("disk full"); }); };
  try {
    work();
    FAIL() << "the failure was lost";
  } catch (const std::exception& failure) {
    EXPECT_STREQ(failure.what(), "disk full");
    EXPECT_EQ(met_by_all(failure), world_.size() == 1);
  }
}

TEST_F(Meeting, OrdersOneQueue) {
  // Ranks that round otherwise: nearly equal targets would stand in another order on each.
  std::vector<batch::PlannedTarget> targets(6);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    auto& decision = targets[k].decision;
    decision.space = plan::Space::cpu;
    const auto turn = (k + static_cast<std::size_t>(world_.rank())) % targets.size();
    decision.cpu_seconds = 100 * (1 + 1e-15 * static_cast<double>(turn));
    decision.gpu_seconds = 1 + world_.rank();
    targets[k].seconds = plan::SecondsByRanks(
        k % 2 == 0 ? 1 : 8, [&](int ranks) { return decision.cpu_seconds / ranks; });
    targets[k].size.work.parts.push_back({8});
  }
  batch::share_predictions(world_, targets);
  const auto queue = batch::queue_of(targets, batch::Standing::missing, plan::Space::cpu);
  const auto ranks = batch::ranks_of_each(targets, queue, world_.size());
  ASSERT_EQ(queue.size(), targets.size());  // the same on all ranks, as `space` is
  for (std::size_t place = 0; place < queue.size(); ++place) {
    const auto target = static_cast<std::int64_t>(queue[place]);
    EXPECT_EQ(target, static_cast<std::int64_t>(queue.size() - 1 - place)) << "rank 0's order";
    EXPECT_EQ(world_.min(ranks[place]), world_.max(ranks[place]));
    const auto& seconds = targets[queue[place]].seconds;
    EXPECT_EQ(seconds.most(), queue[place] % 2 == 0 ? 1 : 8);
    const double alone = seconds.alone();
    EXPECT_THAT(world_.all_gather(std::span<const double>(&alone, 1)), testing::Each(alone));
  }
  EXPECT_EQ(targets.front().decision.gpu_seconds, 1);
}

}  // namespace
}  // namespace nfold::job
