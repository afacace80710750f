// Processors of each rank on made-up nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/binding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "processor_range.hpp"

namespace nfold::hardware {
namespace {

using testing::HasSubstr;

std::vector<ProcessAffinity> seats(std::size_t count, const ProcessAffinity& like) {
  return std::vector(count, like);
}
ProcessAffinity unbound_seat(std::size_t processors) {
  ProcessAffinity seat;
  seat.bound = seat.reachable = processor_range(0, processors);
  return seat;
}

/// Binds every rank and checks that the parts are disjoint and not empty.
std::vector<ProcessorSet> bind_all(const std::vector<ProcessAffinity>& ranks,
                                   const std::vector<ProcessorSet>& cores = {}) {
  std::vector<ProcessorSet> parts;
  ProcessorSet taken;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    const auto binding = choose_binding(ranks, k, cores);
    EXPECT_TRUE(binding.processors.any()) << k;
    EXPECT_TRUE((taken & binding.processors).none()) << "ranks share a processor";
    EXPECT_LE(binding.threads, static_cast<int>(binding.processors.count()));
    taken |= binding.processors;
    parts.push_back(binding.processors);
  }
  return parts;
}

TEST(Binding, DividesNodeEvenlyWithoutGpus) {
  const auto four = bind_all(seats(4, unbound_seat(16)));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(four[k], processor_range(4 * k, 4 * k + 4));
  const auto three = bind_all(seats(3, unbound_seat(16)));
  EXPECT_EQ(three[0].count() + three[1].count() + three[2].count(), 16U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(choose_binding(seats(3, unbound_seat(16)), k, {}).threads, 5)
        << "as many as without binding";
  }
}

TEST(Binding, KeepsThreadsOfCoreTogether) {
  // Linux numbering: the second threads of four cores come after the first ones.
  std::vector<ProcessorSet> cores;
  for (std::size_t k = 0; k < 4; ++k)
    cores.push_back(processor_range(k, k + 1) | processor_range(k + 4, k + 5));
  const auto two = bind_all(seats(2, unbound_seat(8)), cores);
  EXPECT_EQ(list_text(two[0]), "0-1,4-5");
  EXPECT_EQ(list_text(two[1]), "2-3,6-7");
}

TEST(Binding, LeavesRanksUnboundIfProcessorsAreFew) {
  const auto many = seats(4, unbound_seat(2));
  for (std::size_t k = 0; k < 4; ++k) {
    const auto binding = choose_binding(many, k, {});
    EXPECT_TRUE(binding.processors.none()) << "two ranks would fall onto one core";
    EXPECT_EQ(binding.threads, 1);
  }
}

TEST(Binding, PutsRanksNearTheirGpus) {
  auto ranks = seats(4, unbound_seat(32));
  ranks[0].near = ranks[1].near = processor_range(0, 16);
  ranks[2].near = ranks[3].near = processor_range(16, 32);
  const auto parts = bind_all(ranks);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(parts[k], processor_range(8 * k, 8 * k + 8));
  // Two GPUs at one of two sockets: the other socket stays empty.
  ranks.resize(2);
  const auto two = bind_all(ranks);
  EXPECT_EQ(two[1], processor_range(8, 16));
  EXPECT_EQ(choose_binding(ranks, 1, {}).threads, 8);
  // With more ranks than processors near the GPU the whole node is divided.
  auto crowd = seats(4, unbound_seat(32));
  for (auto& rank : crowd) rank.near = processor_range(0, 2);
  for (const auto& part : bind_all(crowd)) EXPECT_EQ(part.count(), 8U);
}

TEST(Binding, CorrectsDefaultBindingOfMpirun) {
  std::vector<ProcessAffinity> ranks;
  for (std::size_t k = 0; k < 2; ++k) {
    ProcessAffinity seat;
    seat.bound = processor_range(k, k + 1);
    seat.reachable = processor_range(0, 64);
    seat.how = Bound::by_launcher;
    ranks.push_back(seat);
  }
  const auto parts = bind_all(ranks);
  EXPECT_EQ(parts[0], processor_range(0, 32));
  EXPECT_EQ(parts[1], processor_range(32, 64));
  const auto binding = choose_binding(ranks, 1, {});
  EXPECT_EQ(binding.threads, 32);
  EXPECT_THAT(binding_note(ranks, 1, binding),
              HasSubstr("mpirun had bound each of 2 ranks to 1 of 64 processors; now it has 32"));
}

TEST(Binding, ReportsRefusalOfSystem) {
  ProcessAffinity seat;
  seat.bound = processor_range(0, 1);
  seat.how = Bound::by_launcher;
  const auto ranks = seats(1, seat);
  const auto binding = choose_binding(ranks, 0, {});
  EXPECT_TRUE(binding.processors.none());
  EXPECT_THAT(binding_note(ranks, 0, binding),
              HasSubstr("the system does not let that be changed"));
}

TEST(Binding, KeepsBindingOfSchedulerOrUser) {
  // Slurm's --cpus-per-task=4 without confinement.
  std::vector<ProcessAffinity> ranks;
  for (std::size_t k = 0; k < 2; ++k) {
    ProcessAffinity seat;
    seat.bound = processor_range(4 * k, 4 * k + 4);
    seat.reachable = processor_range(0, 64);
    ranks.push_back(seat);
  }
  EXPECT_TRUE(choose_binding(ranks, 0, {}).processors.none());
  EXPECT_EQ(choose_binding(ranks, 0, {}).threads, 4);
  EXPECT_THAT(binding_note(ranks, 0, {}),
              HasSubstr("bound to 4 of 64 processors, so that 56 are idle"));
  // taskset on all ranks alike, by a user who requests it.
  auto kept = seats(2, unbound_seat(8));
  for (auto& seat : kept) seat.how = Bound::by_user;
  EXPECT_TRUE(choose_binding(kept, 0, {}).processors.none());
  EXPECT_EQ(choose_binding(kept, 0, {}).threads, 4);
}

/// Made-up environment for find_own_affinity().
std::map<std::string, std::string>& variables() {
  static std::map<std::string, std::string> all;
  return all;
}
const char* read_variable(const char* name) {
  const auto found = variables().find(name);
  return found == variables().end() ? nullptr : found->second.c_str();
}

Bound bound_where(const std::map<std::string, std::string>& environment) {
  variables() = environment;
  return find_own_affinity(false, read_variable).how;
}

TEST(OwnSeat, DetectsOriginOfBinding) {
  EXPECT_EQ(bound_where({}), Bound::by_unknown);
  const std::pair<std::string, std::string> mpirun{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"};
  EXPECT_EQ(bound_where({mpirun}), Bound::by_launcher);
  EXPECT_EQ(bound_where({mpirun, {"OMPI_MCA_hwloc_base_binding_policy", "core"}}), Bound::by_user);
  EXPECT_EQ(bound_where({mpirun, {"OMPI_MCA_hwloc_base_binding_policy", "none"}}),
            Bound::by_unknown);
  EXPECT_EQ(bound_where({mpirun, {"OMPI_MCA_rmaps_base_mapping_policy", "slot:PE=4"}}),
            Bound::by_user);
  EXPECT_EQ(bound_where({mpirun, {"OMPI_MCA_rmaps_base_mapping_policy", "node"}}),
            Bound::by_launcher);
  EXPECT_EQ(bound_where({mpirun, {"OMP_PROC_BIND", "close"}}), Bound::by_user);
  EXPECT_EQ(bound_where({mpirun, {"OMP_PROC_BIND", "false"}}), Bound::by_launcher);
  EXPECT_FALSE(find_own_affinity(false, read_variable).may_narrow)
      << "threads may move, the user says";
  variables() = {mpirun};
  EXPECT_TRUE(find_own_affinity(false, read_variable).may_narrow);
  EXPECT_EQ(find_own_affinity(true, read_variable).how, Bound::by_user) << "devices.binding: keep";
}

TEST(OwnSeat, RespectsUnconfinedSlurmJob) {
  const std::pair<std::string, std::string> mpirun{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"};
  EXPECT_EQ(bound_where({mpirun, {"SLURM_CPUS_ON_NODE", "0"}}), Bound::by_unknown);
  EXPECT_EQ(bound_where({mpirun, {"SLURM_CPUS_ON_NODE", "1024"}}), Bound::by_launcher);
}

}  // namespace
}  // namespace nfold::hardware
