// Allocations from environment variables of schedulers.
// SPDX-License-Identifier: BSD-3-Clause
#include "supervise/allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace nfold::supervise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Allocation with(const std::map<std::string, std::string>& variables, const std::string& file = "") {
  return read_allocation(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string() : found->second;
      },
      [&](const std::string&) { return file; });
}

TEST(Allocation, ExpandsHostLists) {
  EXPECT_THAT(expand_hosts("n[01-03,7],login"), ElementsAre("n01", "n02", "n03", "n7", "login"));
  EXPECT_THAT(expand_hosts("rack[1-2]-gpu"), ElementsAre("rack1-gpu", "rack2-gpu"));
  EXPECT_THAT(expand_hosts("n098"), ElementsAre("n098"));
  EXPECT_THAT(expand_hosts("n[099-101]"), ElementsAre("n099", "n100", "n101"));
  EXPECT_THAT(expand_hosts(""), IsEmpty());
  EXPECT_THAT(expand_hosts("n[x-2],n[1-999999999]"), IsEmpty());
  EXPECT_THAT(expand_hosts("n[1-2"), ElementsAre("n[1-2"));
  EXPECT_THAT(expand_counts("4(x2),3"), ElementsAre(4, 4, 3));
  EXPECT_THAT(expand_counts("8"), ElementsAre(8));
  EXPECT_THAT(expand_counts("x,(x2)"), IsEmpty());
}

TEST(Allocation, IsEmptyWithoutScheduler) {
  const auto given = with({});
  EXPECT_EQ(given.scheduler, Scheduler::none);
  EXPECT_THAT(given.nodes, IsEmpty());
  EXPECT_EQ(given.tasks, 0);
}

TEST(Allocation, ReadsSlurmVariables) {
  const auto given = with({{"SLURM_JOB_ID", "17"},
                           {"SLURM_NTASKS", "7"},
                           {"SLURM_JOB_NODELIST", "n[1-2]"},
                           {"SLURM_TASKS_PER_NODE", "4,3"}});
  EXPECT_EQ(given.scheduler, Scheduler::slurm);
  EXPECT_THAT(given.nodes, ElementsAre(NodeSlots{"n1", 4}, NodeSlots{"n2", 3}));
  EXPECT_EQ(given.tasks, 7);
}

TEST(Allocation, SlurmDefaultIsOneRankPerGpu) {
  const auto given = with({{"SLURM_JOB_ID", "17"},
                           {"SLURM_JOB_NODELIST", "n[1-2]"},
                           {"SLURM_TASKS_PER_NODE", "64(x2)"},
                           {"SLURM_GPUS_ON_NODE", "8"}});
  EXPECT_THAT(given.nodes, ElementsAre(NodeSlots{"n1", 8}, NodeSlots{"n2", 8}));
  EXPECT_EQ(given.tasks, 16);
}

TEST(Allocation, ReadsPbsAndLsfVariables) {
  const auto pbs = with({{"PBS_NODEFILE", "nodes"}}, "n1\nn1\nn2\n");
  EXPECT_THAT(pbs.nodes, ElementsAre(NodeSlots{"n1", 2}, NodeSlots{"n2", 1}));
  EXPECT_EQ(pbs.tasks, 3);
  const auto lsf = with({{"LSB_MCPU_HOSTS", "n1 4 n2 4"}});
  EXPECT_THAT(lsf.nodes, ElementsAre(NodeSlots{"n1", 4}, NodeSlots{"n2", 4}));
  EXPECT_EQ(lsf.tasks, 8);
}

}  // namespace
}  // namespace nfold::supervise
