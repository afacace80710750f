// Reports of stalled ranks: each cause and its message.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/stall_report.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace nfold::comm {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Report of a rank that waits in a sum, in the same phase as all others.
RankReport waiting(int rank) {
  RankReport one;
  one.rank = rank;
  one.process = 100 + rank;
  one.step = 4200;
  one.phases = 7;
  one.host = "node";
  one.phase = "in a block of steps";
  one.call = "a sum";
  one.in_phase_s = one.waits_s = 30;
  one.unseen_s = 0.1;
  one.state = 'R';
  return one;
}

class StallReportTest : public testing::Test {
 protected:
  [[nodiscard]] StallReport explain() const { return explain_stall(ranks[0], 30, ranks); }
  std::vector<RankReport> ranks{waiting(0), waiting(1), waiting(2), waiting(3)};
};

TEST_F(StallReportTest, NamesStoppedRankWithLastMessage) {
  auto& rank = ranks[2];
  rank.state = 'T';
  rank.call = "";
  rank.unseen_s = 31;
  rank.device = "GPU-1";
  rank.last_message = "checkpoint at step 4000";
  const auto report = explain();
  EXPECT_THAT(report.message,
              HasSubstr("rank 0 waited 30 s in a sum (in a block of steps, after step 4200) for "
                        "rank 2 (host node, process 102, GPU GPU-1): stopped (process state T); "
                        "last seen 31 s ago, in a block of steps, after step 4200; its last "
                        "message is 'checkpoint at step 4000'. All ranks end"));
  EXPECT_EQ(report.step, 4200);
  ASSERT_TRUE(report.suspect);
  EXPECT_EQ(report.suspect->rank, 2);
  EXPECT_EQ(report.suspect->host, "node");
  EXPECT_EQ(report.suspect->device, "GPU-1");
}

TEST_F(StallReportTest, PrefersCertainCause) {
  ranks[1].call = "";  // does not wait
  EXPECT_EQ(explain().suspect->rank, 1);
  EXPECT_THAT(explain().message, HasSubstr("does not wait, works on (process state R)"));
  ranks[2].unseen_s = 60;
  EXPECT_EQ(explain().suspect->rank, 2);
  EXPECT_THAT(explain().message, HasSubstr("no sign of life"));
  ranks[3].state = 'X';
  EXPECT_EQ(explain().suspect->rank, 3);
  EXPECT_THAT(explain().message, HasSubstr("its process is gone"));
}

TEST_F(StallReportTest, NamesUnresponsiveDisk) {
  ranks[1].call = "";
  ranks[1].state = 'D';
  EXPECT_THAT(explain().message,
              HasSubstr("for rank 1 (host node, process 101): does not wait, its "
                        "disk or driver does not answer (state D)"));
}

TEST_F(StallReportTest, NamesRankInEarlierPhase) {
  ranks[3].phases = 6;
  ranks[3].phase = "while a checkpoint is written";
  ranks[3].call = "a barrier";
  EXPECT_THAT(explain().message,
              HasSubstr("for rank 3 (host node, process 103): waits further back, "
                        "for 30 s in a barrier, while a checkpoint is written"));
}

TEST_F(StallReportTest, NamesGpuOthersWaitFor) {
  ranks[1].waits_for_device = true;
  EXPECT_EQ(explain().suspect->rank, 1);
  ranks[0].waits_for_device = ranks[2].waits_for_device = ranks[3].waits_for_device = true;
  EXPECT_FALSE(explain().suspect) << "each GPU waits for the others'";
  EXPECT_THAT(explain().message, HasSubstr("one of these GPUs or a link between them hangs"));
  ranks[1].step = 4100;
  EXPECT_EQ(explain().suspect->rank, 1) << "whose GPU is further back";
}

TEST_F(StallReportTest, NamesOwnGpu) {
  ranks[0].waits_for_device = true;
  ranks[0].device = "GPU-0";
  const auto report = explain_stall(ranks[0], 75, {ranks[0]});
  EXPECT_THAT(report.message, HasSubstr("for its own GPU, which does not answer: rank 0"));
  EXPECT_EQ(report.suspect->device, "GPU-0");
}

TEST_F(StallReportTest, ListsRanksInSameState) {
  for (int rank = 1; rank < 4; ++rank) ranks[static_cast<std::size_t>(rank)].unseen_s = 60;
  EXPECT_THAT(explain().message, HasSubstr("the same holds of rank 2, 3"));
}

TEST_F(StallReportTest, ConsidersRanksOfSameWorkOnly) {
  for (auto& rank : ranks) rank.work = 1;
  ranks[3].work = 2;
  ranks[3].call = "";
  EXPECT_FALSE(explain().suspect);
  EXPECT_THAT(explain().message, HasSubstr("a message between them is lost"));
}

TEST_F(StallReportTest, ReportsUnknownCause) {
  const auto report = explain_stall(ranks[0], 30, {ranks[0]});
  EXPECT_FALSE(report.suspect);
  EXPECT_THAT(report.message, HasSubstr("one of them, its node or its disk stands still"));
}

TEST(ProcessState, FollowsSignals) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (;;) pause();
  }
  kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_EQ(state_of_process(child), 'T');
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_EQ(state_of_process(child), 'X');
  EXPECT_EQ(state_of_process(getpid()), 'R');
}

TEST(SharedTextTest, TruncatesLongText) {
  SharedText<8> text;
  text.set("0123456789");
  EXPECT_EQ(text.get(), "0123456");
  text.set("ab");
  EXPECT_EQ(text.get(), "ab");
}

}  // namespace
}  // namespace nfold::comm
