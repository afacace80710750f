// Host threads of bound processes and of processes that others wait for.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/host_threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

#include "comm/communicator.hpp"
#include "device/compute_environment.hpp"
#include "engine/engine.hpp"
#include "support/scoped_variable.hpp"

namespace nfold::device {
namespace {

cpu_set_t thread_affinity() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  return set;
}

/// Binds this thread to the first of its processors while it exists.
class BoundToOne {
 public:
  BoundToOne() : before_(thread_affinity()) {
    cpu_set_t one;
    CPU_ZERO(&one);
    int first = 0;
    while (!CPU_ISSET(first, &before_)) ++first;
    CPU_SET(first, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  }
  ~BoundToOne() { sched_setaffinity(0, sizeof(before_), &before_); }
  BoundToOne(const BoundToOne&) = delete;
  BoundToOne& operator=(const BoundToOne&) = delete;

  [[nodiscard]] int before() const { return CPU_COUNT(&before_); }

 private:
  cpu_set_t before_;
};

TEST(HostThreads, FollowProcessAffinity) {
  const BoundToOne bound;
  const test::ScopedVariable threads("OMP_NUM_THREADS");
  unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(host_threads(comm::Communicator()), 1);
}

TEST(HostThreads, KeepAffinityIfNfoldBoundNothing) {
  const BoundToOne bound;
  if (bound.before() == 1) GTEST_SKIP() << "this process has one processor only";
  set_waiting_processes(2);
  {
    const ProcessorsOfAllRanks everywhere;
    const auto during = thread_affinity();
    EXPECT_EQ(CPU_COUNT(&during), 1) << "nfold bound nothing, so it frees nothing";
  }
  set_waiting_processes(1);
}

TEST(HostThreads, IncludeThreadsOfWaitingProcesses) {
  EXPECT_EQ(node_thread_count(), host_threads(comm::Communicator())) << "nothing is known yet";
  const ComputeEnvironment environment(comm::Communicator(), 3);
  EXPECT_EQ(node_thread_count(), 3);
  set_waiting_processes(4);
  EXPECT_EQ(node_thread_count(), 12);
  set_waiting_processes(1);
}

TEST(HostThreads, AreCappedAtKokkosLimit) {
  EXPECT_EQ(choose_threads(512, 768).threads, 512);
  EXPECT_TRUE(choose_threads(512, 768).warning.empty());
  EXPECT_EQ(choose_threads(768, 768).threads, 512);
  EXPECT_NE(choose_threads(768, 768).warning.find("512 threads of 768"), std::string::npos);
}

TEST(HostThreads, WarnIfMoreThanProcessors) {
  EXPECT_TRUE(choose_threads(2, 2).warning.empty());
  EXPECT_TRUE(choose_threads(2, 0).warning.empty()) << "nothing is known";
  EXPECT_EQ(choose_threads(3, 2).threads, 3);
  EXPECT_NE(choose_threads(3, 2).warning.find("3 threads on 2 processors"), std::string::npos);
  EXPECT_NE(choose_threads(2, 1).warning.find("on 1 processor,"), std::string::npos);
}

}  // namespace
}  // namespace nfold::device
