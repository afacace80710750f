// Failures of one rank reach all ranks, and all ranks agree on the order of a batch's queue.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/collective_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch/plan.hpp"
#include "core/refusal.hpp"
#include "core/storage/file_error.hpp"
#include "session/job/failure.hpp"

namespace nfold::job {
namespace {

class CollectiveWork : public testing::Test {
 protected:
  /// Message that on_all() threw on this rank, and its exit code.
  struct Outcome {
    std::string text = "nothing";
    core::ExitCode exit_code = core::ExitCode::done;
  };
  template <class Action>
  Outcome run_on_all(const Action& action) {
    try {
      on_all(world_, action);
    } catch (const std::exception& failure) {
      return {failure.what(), to_failure(failure).exit_code()};
    }
    return {};
  }
  const comm::Communicator world_ = comm::Communicator::world();
  const int last_ = world_.size() - 1;
};

TEST_F(CollectiveWork, FailureOfOneRankReachesAll) {
  const auto refused = run_on_all([&] {
    if (world_.rank() == last_) core::refuse("replica 7", "finds no room", "take a larger box");
  });
  EXPECT_EQ(refused.text, "replica 7: finds no room (take a larger box)");
  EXPECT_EQ(refused.exit_code, core::ExitCode::wrong_input);
  const auto unwritten = run_on_all(
      [&] { throw storage::FileError("disk full on rank " + std::to_string(world_.rank())); });
  EXPECT_EQ(unwritten.text, "disk full on rank 0") << "the lowest rank speaks";
  EXPECT_EQ(unwritten.exit_code, core::ExitCode::failed);
  EXPECT_EQ(run_on_all([] {}).text, "nothing");
  EXPECT_EQ(world_.sum(1), world_.size()) << "and all are in step again";
}

TEST_F(CollectiveWork, RethrowsLogicErrors) {
  // All ranks throw, so that none waits; run_collectively() would end a rank that throws alone.
  EXPECT_THROW(on_all(world_, [] { throw std::logic_error("a broken device"); }), std::logic_error);
}

TEST_F(CollectiveWork, FailureApartIsNotCollective) {
  const auto work = [this] {
    run_independently(world_, [] { throw storage::FileError("disk full"); });
  };
  try {
    work();
    ADD_FAILURE() << "the failure was lost";
  } catch (const std::exception& failure) {
    EXPECT_STREQ(failure.what(), "disk full");
    EXPECT_EQ(to_failure(failure).is_collective(), world_.size() == 1);
  }
}

TEST_F(CollectiveWork, OrdersOneQueueOnAllRanks) {
  // Different rounding on each rank would sort nearly equal targets differently.
  std::vector<batch::PlannedTarget> targets(6);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    auto& decision = targets[k].decision;
    decision.space = estimate::Backend::cpu;
    const auto turn = (k + static_cast<std::size_t>(world_.rank())) % targets.size();
    decision.cpu_seconds = 100 * (1 + 1e-15 * static_cast<double>(turn));
    decision.gpu_seconds = 1 + world_.rank();
    targets[k].listed.seconds = estimate::SecondsByRanks(
        k % 2 == 0 ? 1 : 8, [&](int ranks) { return decision.cpu_seconds / ranks; });
    targets[k].size.work.parts.push_back({8});
  }
  batch::broadcast_plan(world_, targets);
  const auto queue =
      batch::make_queue(targets, batch::TargetStatus::missing, estimate::Backend::cpu);
  const auto ranks = batch::ranks_per_target(targets, queue, world_.size(), 1);
  ASSERT_FALSE(world_.any(queue.size() != targets.size() || ranks.size() != queue.size()));
  for (std::size_t index = 0; index < queue.size(); ++index) {
    const auto target = static_cast<std::int64_t>(queue[index]);
    EXPECT_EQ(target, static_cast<std::int64_t>(queue.size() - 1 - index)) << "rank 0's order";
    EXPECT_EQ(world_.min(ranks[index]), world_.max(ranks[index]));
    const auto& seconds = targets[queue[index]].listed.seconds;
    EXPECT_EQ(seconds.most(), queue[index] % 2 == 0 ? 1 : 8);
    const double alone = seconds.alone();
    EXPECT_THAT(world_.all_gather(std::span<const double>(&alone, 1)), testing::Each(alone));
  }
  EXPECT_EQ(targets.front().decision.gpu_seconds, 1);
}

}  // namespace
}  // namespace nfold::job
