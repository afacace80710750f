// What is said of ranks that are bound to few of the processors that they might use.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/host_threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <vector>

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

TEST(BindingNote, TellsOfProcessorsThatAreLeftIdle) {
  const BoundToOne bound;
  const auto note = binding_note(1);
  if (bound.before() == 1) {  // on one core nothing is left
    EXPECT_EQ(note.find("bound to 1 of 1"), std::string::npos);
  } else {
    EXPECT_THAT(note, testing::HasSubstr("bound to 1 of "));
    EXPECT_THAT(note, testing::HasSubstr("--bind-to none"));
  }
  const auto after = bound_to();
  EXPECT_EQ(CPU_COUNT(&after), 1) << "what was bound stays bound";
}

TEST(BindingNote, SaysNothingWhereRanksShareAllProcessors) { EXPECT_EQ(binding_note(1 << 20), ""); }

TEST(HostThreads, AreAnEvenShareOfWhatAProcessMayUse) {
  using Sets = std::vector<ProcessorSet>;
  const auto from_to = [](std::size_t first, std::size_t end) {
    ProcessorSet set;
    for (std::size_t k = first; k < end; ++k) set.set(k);
    return set;
  };
  const Sets unbound(4, from_to(0, 16));
  EXPECT_EQ(share_of_processors(unbound, 2), 4);
  EXPECT_EQ(share_of_processors(Sets(3, from_to(0, 16)), 0), 5);
  // Slurm's --cpus-per-task=4: each has processors of its own, and all of them.
  const Sets bound{from_to(0, 4), from_to(4, 8), from_to(8, 12), from_to(12, 16)};
  for (std::size_t k = 0; k < bound.size(); ++k) EXPECT_EQ(share_of_processors(bound, k), 4);
  // mpirun binds each of two ranks to one core, whatever the number of cores.
  EXPECT_EQ(share_of_processors(Sets{from_to(0, 1), from_to(1, 2)}, 1), 1);
  // One is bound to half of what the other may use.
  EXPECT_EQ(share_of_processors(Sets{from_to(0, 4), from_to(0, 8)}, 0), 2);
  EXPECT_EQ(share_of_processors(Sets{from_to(0, 4), from_to(0, 8)}, 1), 6);
  EXPECT_EQ(share_of_processors(Sets(8, from_to(0, 2)), 7), 1) << "never none";
}

TEST(HostThreads, AreNoMoreThanAJobGaveItsOnlyProcess) {
  const BoundToOne bound;
  EXPECT_EQ(own_processors().count(), 1U);
  if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    EXPECT_EQ(host_threads(comm::Communicator()), 1);
  }
}

TEST(HostThreads, AreThoseGivenTimesTheProcessesThatWait) {
  EXPECT_EQ(host_threads_alone(), host_threads(comm::Communicator())) << "nothing is known yet";
  const ComputeEnvironment environment(comm::Communicator(), 3);
  EXPECT_EQ(host_threads_alone(), 3);
  set_processes_that_wait(4);
  EXPECT_EQ(host_threads_alone(), 12);
  set_processes_that_wait(1);
}

}  // namespace
}  // namespace nfold::device
