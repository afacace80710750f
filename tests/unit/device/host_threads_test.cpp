// Threads of a process that is bound to few processors, and of one that others wait for.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/host_threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

#include "comm/communicator.hpp"
#include "device/compute_environment.hpp"
#include "dynamics/engine.hpp"

namespace nfold::device {
namespace {

cpu_set_t bound_to() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  return set;
}

/// Binds this thread to the first of its processors for a while.
class BoundToOne {
 public:
  BoundToOne() : before_(bound_to()) {
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

TEST(HostThreads, AreNoMoreThanAJobGaveItsOnlyProcess) {
  const BoundToOne bound;
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    EXPECT_EQ(host_threads(comm::Communicator()), 1);
  }
}

TEST(HostThreads, AreOnAllProcessorsOnlyWhereRanksWereBound) {
  const BoundToOne bound;
  set_processes_that_wait(2);
  {
    const ProcessorsOfAllRanks everywhere;
    const auto during = bound_to();
    EXPECT_EQ(CPU_COUNT(&during), 1) << "nfold bound nothing, so it frees nothing";
  }
  set_processes_that_wait(1);
}

TEST(HostThreads, AreThoseGivenTimesTheProcessesThatWait) {
  EXPECT_EQ(host_threads_alone(), host_threads(comm::Communicator())) << "nothing is known yet";
  const ComputeEnvironment environment(comm::Communicator(), 3);
  EXPECT_EQ(host_threads_alone(), 3);
  set_processes_that_wait(4);
  EXPECT_EQ(host_threads_alone(), 12);
  set_processes_that_wait(1);
}

TEST(HostThreads, AreCappedAtTheRoomOfKokkos) {
  EXPECT_EQ(taken_threads(512, 768).threads, 512);
  EXPECT_TRUE(taken_threads(512, 768).warning.empty());
  EXPECT_EQ(taken_threads(768, 768).threads, 512);
  EXPECT_NE(taken_threads(768, 768).warning.find("512 threads of 768"), std::string::npos);
}

TEST(HostThreads, AreWarnedOfWhereTheyOutnumberTheProcessors) {
  EXPECT_TRUE(taken_threads(2, 2).warning.empty());
  EXPECT_TRUE(taken_threads(2, 0).warning.empty()) << "nothing is known";
  EXPECT_EQ(taken_threads(3, 2).threads, 3);
  EXPECT_NE(taken_threads(3, 2).warning.find("3 threads on 2 processors"), std::string::npos);
  EXPECT_NE(taken_threads(2, 1).warning.find("on 1 processor,"), std::string::npos);
}

}  // namespace
}  // namespace nfold::device
